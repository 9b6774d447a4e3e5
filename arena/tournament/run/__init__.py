"""A tournament while it is played: jobs, workers, events, progress, and the files of a run.

`flows` has the commands around it.
"""

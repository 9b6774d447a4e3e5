"""A tournament while it is played: jobs, workers, events, progress, and what a run leaves.

What a command adds is in `flows`.
"""

"""The machine's resources: cores, open files, disks, signals.

Nothing here knows bots.
"""

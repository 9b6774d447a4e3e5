"""What the machine gives and asks for: cores, open files, disks, signals.

Nothing here knows bots.
"""

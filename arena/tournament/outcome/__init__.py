"""What a tournament's directory says: its records, its progress, what the games come to.

Nothing here plays.
"""

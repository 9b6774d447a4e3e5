"""What a bot is before it plays: described, found, built, packed, with its sandbox chosen.

How it is asked for moves is in `referee`.
"""

"""What a bot is before it plays: described, found, built, packed, confined.

Playing with it is in `referee`.
"""

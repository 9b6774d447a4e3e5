"""What is counted of games, and who stands where by that.

What a league makes of it is in `event`.
"""

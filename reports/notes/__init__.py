"""What an event keeps besides its games, as plain values.

What is made of these values is in `event`.
"""

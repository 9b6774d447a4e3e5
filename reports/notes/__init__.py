"""What an event keeps besides its games, as plain values.

Who counts games needs these, and nothing else of an event.
"""

"""Notes that an event keeps besides its games, as plain values.

`event` uses them.
"""

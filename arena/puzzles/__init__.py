"""Positions with one right move, proven: made, kept as records, asked. Must not import `bots`."""

"""Millions of games at once, by numpy: their boards, and the keys of their positions."""

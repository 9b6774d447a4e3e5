"""Bots before they play: their description, program, build, bundle and sandbox.

`referee` runs their games.
"""

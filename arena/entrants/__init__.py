"""Bots before they play: described, found, built, packed, confined.

`referee` plays with them.
"""

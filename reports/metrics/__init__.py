"""Game metrics for designers, and the game that a page shows first.

Counts per bot are in `counting`.
"""

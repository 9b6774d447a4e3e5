"""Ratings from results: TrueSkill converged over all games, and an Elo scale beside it.

Results are read from records in `counting`.
"""

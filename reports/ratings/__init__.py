"""Ratings from results: TrueSkill converged over all games, and an Elo scale beside it.

Must not know records, nor how a rating is shown.
"""

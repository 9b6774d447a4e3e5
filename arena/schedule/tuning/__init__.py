"""Tuning without games: the options that are tuned, which values come next, where the best lie.

Pairs of a tuning are dealt in `schedule/tune`.
"""

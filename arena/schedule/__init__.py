"""Which games a tournament plays, in what order, from which openings, and when it is decided.

It is pure; the words for its numbers are in `tournament/outcome`.
"""

"""Records against the rules of their games: played, checked, built ply by ply.

How a text is split is below, in `text`.
"""

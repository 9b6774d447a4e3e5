"""Replacements for modules that a packed bot does not need, and its loader.

`arena bot pack` copies these files; `arena/entrants` finds the imports of a bot.
"""

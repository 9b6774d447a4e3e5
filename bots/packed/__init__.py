"""Replacements for modules that a packed bot does not need, and the loader of all modules.

`arena bot pack` copies these files; `arena/entrants` finds what a bot imports.
"""

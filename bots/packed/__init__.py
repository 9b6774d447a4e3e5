"""What stands in a packed bot in the place of modules that are of no use there, and what loads all.

`arena bot pack` takes these files as they are; finding what a bot imports is in `arena/entrants`.
"""

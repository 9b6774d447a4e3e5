"""An event as a whole: its background, versions, seasons, its league.

Also its files for other programs.
"""

"""An event as a whole: its background, versions, seasons, its league.

Its pages are in `page`.
"""

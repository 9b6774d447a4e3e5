"""The HTML report: one file made of the templates and of one JSON document.

Must not know any game.
"""

"""Bots driven from Python: asked, analysed with, solved with, given puzzles."""

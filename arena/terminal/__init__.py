"""Output for people in a terminal: boards, tables and the live view.

Only this package uses Rich.
"""

"""Output for people in a terminal: boards, tables, the live view.

Only this package knows Rich.
"""

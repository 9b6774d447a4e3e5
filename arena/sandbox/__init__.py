"""Limits that keep a bot to its own files and processes: users, bubblewrap, process trees.

`entrants` decides which sandbox a bot gets.
"""

"""The state of a tournament's directory: its records, its progress, its result.

This package plays no games.
"""

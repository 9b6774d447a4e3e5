"""Checks of what this machine can do for tournaments, and how to fix the rest.

`cluster` asks the workers of a cluster.
"""

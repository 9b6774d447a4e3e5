"""Searches compiled by numba, where the extra `fast` is installed: bots import `searches` alone.

The kernels have a file for each family of games.
"""

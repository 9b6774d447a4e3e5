"""Searches compiled by numba, where the extra `fast` is installed.

Bots import `searches` alone; kernels have one file per family of games.
"""

"""Searches compiled by numba, if the extra `fast` is installed.

Bots import only `searches`. Kernels have one file per family of games.
"""

"""Scripted sessions with one bot, which show whether it keeps the protocol.

Tables of the findings are in `terminal`.
"""

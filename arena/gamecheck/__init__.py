"""The check of a game type.

It covers rules, texts, symmetries, drawing, speed, balance and bots. `arena games check` prints it.
"""

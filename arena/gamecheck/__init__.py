"""The check of a game type: its rules, texts, symmetries, drawing, speed, balance, and bots.

`arena games check` prints what it finds.
"""

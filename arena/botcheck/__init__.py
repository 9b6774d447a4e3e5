"""Does a bot keep the protocol? Scripted sessions with one bot, and what each of them shows.

Must not know tournaments, records or terminals: `check.check` yields points, who shows them is
somebody else.
"""

"""Tournaments between bot processes, and the command line. Never imports `bots`."""

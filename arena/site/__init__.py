"""`arena serve`: a local site to watch tournaments and open records, the extra `web`.

Only this package uses Starlette.
"""

"""A tournament as its file and its flags describe it, and the mistakes in them.

`store` keeps the games.
"""

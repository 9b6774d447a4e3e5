"""A tournament as its file and its flags describe it, and what is wrong with them.

What was played is in `store`.
"""

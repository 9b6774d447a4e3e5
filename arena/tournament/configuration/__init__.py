"""A tournament as its file and its flags describe it, and what is wrong with that.

What is stored of games is in `store`.
"""

"""What was played from a position, and what came of it: from records, from a database, as a tree.

Pages of it are in `page`.
"""

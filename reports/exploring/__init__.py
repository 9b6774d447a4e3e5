"""What was played from a position, and what came of it: of records, in a database, as a tree.

Must not know files, nor how a number is shown.
"""

"""Many records at once: indexes, samples, comparisons, duplicates.

What one asks of a record is in `query`.
"""

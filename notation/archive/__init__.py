"""Many records at once: indexes, samples, comparisons, duplicates.

What a query asks of one record is in `query`.
"""

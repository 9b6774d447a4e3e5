"""Many records at once: indexes, samples, comparisons, duplicates.

`query` asks about one record.
"""

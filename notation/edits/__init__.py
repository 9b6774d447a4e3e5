"""Changes to records, as values and as text.

The layers above decide which records change.
"""

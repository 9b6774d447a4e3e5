"""Changes to records, as values and as text.

Which records are changed is decided above.
"""

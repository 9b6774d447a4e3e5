"""Changes of records as values and as text. What a change does to many records is above."""

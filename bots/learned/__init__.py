"""Estimates learned from games of a search with itself, with their weights."""

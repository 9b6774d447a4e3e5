"""The HTML report: one file, made of the templates and one JSON document.

The numbers come from the packages beside it.
"""

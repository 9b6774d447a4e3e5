"""Pages and files about tournaments, for readers other than the organiser.

`reports` has the layout of the pages.
"""

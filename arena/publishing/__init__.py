"""Pages and files about tournaments for other people.

`reports` decides how a page looks.
"""

"""What is known of a tournament from its directory: its records, how far it is, what they come to.

Nothing here plays.
"""

"""What this machine can do for tournaments, point by point, and what would fix the rest.

Workers of a cluster are asked in `cluster`.
"""

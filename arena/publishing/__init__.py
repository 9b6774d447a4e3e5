"""Pages and files that others see of tournaments.

How a page looks is in `reports`.
"""

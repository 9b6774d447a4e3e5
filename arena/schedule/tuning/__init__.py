"""The calculations of a tuning: the options to tune, the next values to try, the best values found.

`schedule/tune` deals the pairs.
"""

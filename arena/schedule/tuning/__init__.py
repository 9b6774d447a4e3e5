"""The calculations of a tuning: options, the next values, the best values.

`schedule/tune` deals the pairs.
"""

"""What costs a bot most points: what is tested of its games, and what is believed of it.

Must not know files, nor how a finding is shown.
"""

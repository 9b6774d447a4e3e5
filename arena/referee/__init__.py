"""One game between two bot processes: pipes, clocks, penalties and the record.

`schedule` decides which game comes next.
"""

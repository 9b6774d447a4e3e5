"""One game between two bot processes: pipes, clocks, penalties, the record.

`schedule` decides which game comes next.
"""

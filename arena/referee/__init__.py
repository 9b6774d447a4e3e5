"""One game between two bot processes: pipes, clocks, penalties, the record.

Which game comes next is in `schedule`.
"""

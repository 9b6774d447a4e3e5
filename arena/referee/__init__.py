"""One game between two bot processes: pipes, clocks, what mishaps cost, what is written down."""

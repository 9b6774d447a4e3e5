"""A tournament while it is played: jobs, workers, events, progress, and what a run leaves."""

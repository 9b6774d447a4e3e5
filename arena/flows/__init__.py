"""What the commands that play do, for the command line and for Python: run, match, place, tune."""

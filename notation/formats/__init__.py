"""Other formats of game records, a module each; this is where new ones go."""

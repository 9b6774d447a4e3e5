"""What a tournament plays, in what order, from which openings, and when it is decided. Pure."""

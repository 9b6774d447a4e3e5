"""What designers ask of a game, measured from records, and which game a page shows first."""

"""What keeps a bot from what is not its own: another user, bubblewrap, limits on its whole tree."""

"""The bot's side of the protocol, and bots to play against. Must not know the arena."""

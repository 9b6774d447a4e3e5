"""What keeps a bot from what is not its own: users, bubblewrap, limits on its process tree.

Which sandbox a bot gets is in `entrants`.
"""

"""What a tournament keeps on disk: each game once, notes beside them, rulings.

What the games come to is in `outcome`.
"""

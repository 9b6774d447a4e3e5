"""What a tournament keeps: each game once, notes beside them, rulings.

What games come to is in `outcome`.
"""

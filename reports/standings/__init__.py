"""What the results of records come to: who stands where, as values, JSON and CSV.

Must not know pages or terminals, nor the rules of any game: moves are compared, none is played.
"""

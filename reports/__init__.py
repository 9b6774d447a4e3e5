"""Numbers and pages from game records: ratings, standings, boards as SVG, the HTML report.

Must not know how the games came about: any records do, no tournament is needed.
"""

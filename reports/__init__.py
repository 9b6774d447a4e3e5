"""Numbers and pages from game records: ratings, standings, the HTML report.

Any records do; no tournament is needed.
"""

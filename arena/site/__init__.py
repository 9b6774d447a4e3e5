"""`arena serve`: a local site on which one watches, and opens records. The extra `web`."""

"""A whole tournament: configuration, workers, the store, the folder that it all goes to."""

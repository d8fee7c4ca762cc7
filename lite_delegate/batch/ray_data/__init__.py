"""Models in data sets of Ray Data."""

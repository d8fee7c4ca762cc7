"""The engine whose workers are actors of Ray, on one machine or many; and models in data sets of Ray Data."""

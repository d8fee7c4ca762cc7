"""Distances between arrays, and tolerances for them."""

"""Tensors of runs: what callers give for a model's ports, what requests keep, and what runs return."""

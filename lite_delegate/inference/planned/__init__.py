"""Planned models: a graph with its plan, and the signatures by which it can be called."""

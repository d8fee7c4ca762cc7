"""Binding: from nodes to kernels, by the specs of all values and the functions that can run each node."""

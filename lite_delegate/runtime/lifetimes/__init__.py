"""Lifetimes: what plans hold of graph kernels and delegates, and when it is given back."""

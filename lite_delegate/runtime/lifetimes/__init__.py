"""Lifetimes: the graph kernels and delegates that plans hold, and the moment at which they are given back."""

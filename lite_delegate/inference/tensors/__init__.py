"""Tensors of runs: the values that callers give for ports, the tensors of requests, and the results of runs."""

"""Orders: sequences of kernels with the fewest subgraphs, exact and by local search."""

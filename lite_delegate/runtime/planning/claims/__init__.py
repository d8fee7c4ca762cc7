"""Claims: which kernels a delegate takes, and how its kernels are cut into runs."""

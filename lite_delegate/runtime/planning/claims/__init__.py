"""Claims: the kernels that a delegate takes, and the runs that its kernels are cut into."""

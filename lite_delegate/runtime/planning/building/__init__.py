"""Building graph kernels: one of each run of claimed kernels, or of the parts of the run that can be built."""

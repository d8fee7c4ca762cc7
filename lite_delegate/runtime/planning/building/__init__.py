"""Building graph kernels: one for each run of claimed kernels, or one for each part of the run that can be built."""

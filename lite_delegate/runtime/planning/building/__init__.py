"""Building graph kernels: of each run of claimed kernels, or of the parts of it that can be built."""

"""Times of a model's kernels, on the CPU and on a device: for placement by gain."""

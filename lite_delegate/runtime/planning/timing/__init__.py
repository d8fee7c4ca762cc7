"""What the kernels of a model take, on the CPU and on a device: for placement by gain."""

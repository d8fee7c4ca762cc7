"""The meaning of kernels in the terms of the device: operands, geometry, slices, quantization, error bounds."""

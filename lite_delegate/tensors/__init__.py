"""Tensors: buffers with a name, a type and a shape, as callers and kernels read and write them."""

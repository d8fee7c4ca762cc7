"""Subgraphs on the device and on the reference kernels, and the node at which they part."""

"""Modules: a run of kernels between operators and device; their axes, how they are built and edited, the target."""

"""Modules, between kernels and device programs: instructions, axes, building and editing, and the target."""

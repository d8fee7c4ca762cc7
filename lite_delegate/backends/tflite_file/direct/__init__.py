"""Kernels as builtin operators of their own kind, one file per family."""

"""The version of the compiler for the simulated NPU."""

COMPILER_VERSION = "1.1"
"""Raised when the compiler makes other programs of the same model."""

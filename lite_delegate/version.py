"""The version of the package, its compiler and its kernels."""

VERSION = "0.1.0"

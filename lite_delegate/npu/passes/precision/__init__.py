"""Precision: which intermediate results of a float16 program are kept in float32."""

from .islands import PrecisionIslands

__all__ = ["PrecisionIslands"]

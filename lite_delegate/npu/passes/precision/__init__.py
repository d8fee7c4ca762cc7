"""Precision: the intermediate results of a float16 program that are kept in float32."""

from .islands import PrecisionIslands

__all__ = ["PrecisionIslands"]

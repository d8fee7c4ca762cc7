"""Tiling: a step whose working set exceeds the scratchpad becomes slices, tiles, and steps that join their results."""

from .tile import tile

__all__ = ["tile"]

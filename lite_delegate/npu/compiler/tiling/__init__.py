"""Tiling: steps whose working set exceeds the scratchpad become slices, tiles, and what joins their results."""

from .tile import tile

__all__ = ["tile"]

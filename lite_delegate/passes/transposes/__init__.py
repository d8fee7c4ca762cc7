"""Transposes: in which order of axes each operator runs, so that they move as little as possible."""

from .place_transposes import PlaceTransposesPass

__all__ = ["PlaceTransposesPass"]

"""Orders of axes: which operator runs in which, so that transposes move as little as possible."""

from .place_transposes import PlaceTransposesPass

__all__ = ["PlaceTransposesPass"]

"""Orders of axes: where permutes go, so that as few bytes as possible are moved."""

from .place_permutes import PlacePermutes

__all__ = ["PlacePermutes"]

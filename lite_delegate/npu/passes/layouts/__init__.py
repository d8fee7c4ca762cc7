"""Layouts: the positions of permutes, chosen so that as few bytes as possible are moved."""

from .place_permutes import PlacePermutes

__all__ = ["PlacePermutes"]

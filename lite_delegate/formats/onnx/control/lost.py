"""The error of a node whose rejection is listed already."""

from __future__ import annotations


class Lost(Exception):
    """Raised by converters of nodes that hold graphs: what is wrong with the node is listed already."""

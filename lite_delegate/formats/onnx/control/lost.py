"""The error of a node whose rejection is listed already."""

from __future__ import annotations


class Lost(Exception):
    """Raised by converters of nodes that hold graphs, where the node's rejection is listed already."""

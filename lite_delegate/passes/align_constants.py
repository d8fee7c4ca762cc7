"""Puts constants where arithmetic is fast."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ..ir import Graph, Node, Value, drop_pages
from .base import PassResult
from .graph_pass import GraphPass
from .rewriting import rewrite_constants


class AlignConstantsPass(GraphPass):
    """Copies every constant that a node reads from an address that is no multiple of its elements' size.

    Imported constants may be views of a file that start at any byte; libraries would copy them for each prediction.

    1. A constant that several nodes read is copied once and stays one value.
    2. Constants at other addresses, and those that no node reads, stay as they are.
    """

    name: ClassVar[str] = "align-constants"

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph with aligned constants; idempotent."""
        aligned: dict[Value, Value] = {}

        def rewrite(node: Node, position: int, value: Value) -> Value:
            if value.data is None or value.data.flags.aligned:
                return value
            if value not in aligned:
                data = value.data.copy()
                data.flags.writeable = False
                drop_pages(value.data)
                aligned[value] = replace(value, data=data)
            return aligned[value]

        return rewrite_constants(graph, rewrite)

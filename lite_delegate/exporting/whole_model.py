"""A whole model for a delegate that writes it to a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..delegate import Delegate
from ..errors import GraphError
from ..inference.compiling.compilation import compile_graph
from ..inference.compiling.prepared_graph import prepared_graph
from ..inference.shapes.dimensions import CONTROL_FLOW
from ..inference.shapes.given_shapes import NO_SHAPES
from ..ir import Graph
from ..mindspore.context.context import Context
from ..mindspore.context.context_settings import settings_of
from ..runtime.records import PartitionRecord

SHOWN = 3
"""Nodes whose reasons an error has."""


def give_whole(graph: Graph, exporter: Delegate, refused: str, shapes: Mapping[str, Sequence[int]] = NO_SHAPES) -> None:
    """Plans a graph for known shapes, and gives all of it to a delegate that writes files.

    Args:
        graph: the graph, which is not changed.
        exporter: takes the kernels in ``create_graph_kernel``.
        refused: the beginning of the message about nodes that it does not take.
        shapes: of inputs, by name; open ones are closed by the rule of all commands otherwise.

    Raises:
        GraphError: it does not take all; the message names nodes, operators and reasons.
        LiteDelegateError: shapes that do not fit, and the like.
    """
    context = Context()
    context.plan_only = True
    context.set_delegate(exporter)
    compiled = compile_graph(prepared_graph(graph), settings_of(context), [], shapes)
    reasons = _reasons(compiled.partition)
    if reasons:
        more = f"; and {len(reasons) - SHOWN} more" if len(reasons) > SHOWN else ""
        raise GraphError(f"{refused}: {'; '.join(reasons[:SHOWN])}{more}.")


def _reasons(partition: PartitionRecord) -> list[str]:
    """Why nodes cannot be written; of loops and choices the notes say it, and not the nodes that make them up."""
    left = [node for node in partition.nodes if not node.subgraph]
    others = [node for node in left if node.type not in CONTROL_FLOW]
    said = [note.removesuffix(".") for note in partition.notes] if others != left else []
    return said + [f"node '{node.name}' ({node.type}): {node.reason}" for node in (others if said else left)]

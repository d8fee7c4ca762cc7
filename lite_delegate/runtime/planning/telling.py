"""What the log says of a plan that was made."""

from __future__ import annotations

from collections.abc import Iterator

from ...delegate.log import LEVELS, DelegateLog
from ...ir import Graph
from ...properties import Values
from ..records.records import CPU, PartitionRecord
from ..settings import Settings

LEVEL = "LOG_LEVEL"
NAMED = 5
"""Nodes that fall back and are named."""


def log_of(graph: Graph, record: PartitionRecord, settings: Settings) -> DelegateLog:
    """The log of a compiled model: it says as much as any of its devices does."""
    said = [str(values.value(LEVEL)) for values in _values(settings) if LEVEL in values.registry]
    return DelegateLog(record.delegate or CPU, max(said, key=LEVELS.index, default=LEVELS[0]), graph.name or "")


def tell_plan(log: DelegateLog, record: PartitionRecord, what: str, ns: int) -> None:
    """Says that a plan was made, and what of the model falls back to the CPU.

    Args:
        log: of the model.
        record: of the plan.
        what: "compiled" or "imported".
        ns: the nanoseconds that it took.
    """
    if not log.writes("LOG_INFO"):
        return
    count, subgraphs = len(record.nodes), len(record.subgraphs)
    log.write("LOG_INFO", "%s in %.1f ms: %d nodes, %d subgraphs", what, ns / 1e6, count, subgraphs)
    left = [node.name for node in record.nodes if node.device == CPU]
    if left and record.delegate:
        names = ", ".join(f"'{name}'" for name in left[:NAMED]) + (", ..." if len(left) > NAMED else "")
        log.write("LOG_INFO", "%d of %d nodes fall back to the CPU: %s", len(left), count, names)


def _values(settings: Settings) -> Iterator[Values]:
    yield from settings.properties.values()
    for delegate in settings.delegates:
        values = None if delegate.name in settings.properties else delegate.property_values()
        if values is not None:
            yield values

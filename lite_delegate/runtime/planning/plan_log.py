"""The log of a plan that was made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager

from ...basics.counted import counted
from ...delegate.calls.log import LEVELS, DelegateLog, of_model
from ...ir import Graph
from ...properties import Values
from ..records.records import CPU, PartitionRecord
from ..settings import Settings

LEVEL = "LOG_LEVEL"
NAMED = 5
"""Nodes that fall back and are named."""


def telling(graph: Graph, settings: Settings) -> AbstractContextManager[None]:
    """Logs of the block belong to the model that is compiled or imported, at the most detailed level of its devices."""
    said = [str(values.value(LEVEL)) for values in _values(settings) if LEVEL in values.registry]
    return of_model(graph.name or "", max((settings.log_level, *said), key=LEVELS.index))


def log_of(record: PartitionRecord) -> DelegateLog:
    """The log of the model that is compiled or imported."""
    return DelegateLog(record.delegate or CPU)


def tell_plan(log: DelegateLog, record: PartitionRecord, what: str, ns: int) -> None:
    """Logs that a plan was made, and the parts of the model that fall back to the CPU.

    Args:
        log: the log of the model.
        record: the partition of the plan.
        what: "compiled" or "imported".
        ns: the nanoseconds that making the plan took.
    """
    if not log.writes("LOG_INFO"):
        return
    count, subgraphs = len(record.nodes), counted(len(record.subgraphs), "subgraph")
    log.write("LOG_INFO", "%s in %.1f ms: %s, %s", what, ns / 1e6, counted(count, "node"), subgraphs)
    left = [node.name for node in record.nodes if node.device == CPU]
    if left and record.delegate:
        names = ", ".join(f"'{name}'" for name in left[:NAMED]) + (", ..." if len(left) > NAMED else "")
        log.write("LOG_INFO", "%d of %s left to the CPU: %s", len(left), counted(count, "node"), names)


def _values(settings: Settings) -> Iterator[Values]:
    yield from settings.properties.values()
    for delegate in settings.delegates:
        values = None if delegate.name in settings.properties else delegate.property_values()
        if values is not None:
            yield values

"""Errors of nodes on their delegates, from the JSON of a comparison that ``lite-delegate compare`` wrote."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ...errors import InputError
from ...reporting.figures import decibel_text
from ...reporting.plain import from_plain

LEAST_DB = -100.0
"""Signal-to-noise ratio at which nothing of the signal is left."""
SKIPPED = "not compared"
SCOPES = {"kernel": "by itself", "stretch": "of a few nodes together", "subgraph": "of its subgraph as a whole"}
"""What was compared, and the words for it."""


@dataclass(frozen=True, slots=True)
class NodeError(Brief):
    """The own error of a node: the delegate against the reference kernels on the same inputs.

    Attributes:
        node: the name of the node.
        graph: the subgraph of the model that it is in, "" in the main graph.
        noise: Euclidean norm of the error over that of the expected numbers, of the worst output and run: 0 where all
            are equal, 0.1 at a signal-to-noise ratio of 20 dB. None where nothing is left: NaN, infinite, or it failed.
        outcome: "ok", "inherited", "wrong" or "failed", as in the comparison.
        scope: "kernel" where the node was compared by itself, "stretch" where it is one of the nodes that splitting
            found, "subgraph" where only its subgraph was compared.
    """

    node: str
    graph: str
    noise: float | None
    outcome: str
    scope: str

    @property
    def snr_db(self) -> float:
        """The signal-to-noise ratio in dB, at least -100; infinite where all numbers are equal."""
        if self.noise is None:
            return LEAST_DB
        return -20 * math.log10(self.noise) if self.noise else math.inf

    @property
    def text(self) -> str:
        """The signal-to-noise ratio and what was compared, for people."""
        found = (
            "exact" if self.noise == 0 else "nothing left" if self.noise is None else f"{decibel_text(self.snr_db)} dB"
        )
        return f"{found}, {SCOPES.get(self.scope, self.scope)}"


@dataclass(frozen=True, slots=True)
class _OwnMetrics:
    elements: int
    differing: int
    snr_db: Any


@dataclass(frozen=True, slots=True)
class _TensorPart:
    own: _OwnMetrics | None


@dataclass(frozen=True, slots=True)
class _ComparedPart:
    graph: str
    kernels: tuple[str, ...]
    outcome: str
    tensors: tuple[_TensorPart, ...]


@dataclass(frozen=True, slots=True)
class _ComparedRun(_ComparedPart):
    parts: tuple[_ComparedPart, ...]


@dataclass(frozen=True, slots=True)
class _FoundPart:
    found: _ComparedPart


@dataclass(frozen=True, slots=True)
class _ComparisonPart:
    """The part of a comparison that errors of nodes are read from."""

    delegate: str
    subgraphs: tuple[_ComparedRun, ...]
    culprits: tuple[_FoundPart, ...]


def node_errors(comparison: Mapping[str, Any], delegate: str, nodes: Collection[tuple[str, str]]) -> list[NodeError]:
    """The errors of nodes; a node that was not compared has none. The narrowest comparison of a node counts.

    Args:
        comparison: what ``ComparisonReport.to_dict`` gives.
        delegate: the name of the delegate of the report; of several the names, separated by commas.
        nodes: graph and name of each node of the report that a delegate runs.

    Raises:
        InputError: it is no comparison, one on other delegates, or none of its nodes is a node of the report.
    """
    read: _ComparisonPart = from_plain(_ComparisonPart, comparison, "comparison")
    if _names(read.delegate) != _names(delegate):
        raise InputError(f"comparison: it is of delegate '{read.delegate}', the report of '{delegate}'; compare anew.")
    levels: tuple[tuple[str, Iterable[_ComparedPart]], ...] = (
        ("subgraph", read.subgraphs),
        ("stretch", (culprit.found for culprit in read.culprits)),
        ("kernel", (part for run in read.subgraphs for part in run.parts)),
    )
    found: dict[tuple[str, str], NodeError] = {}
    for scope, parts in levels:
        found |= _worst(error for part in parts for error in _errors(part, scope))
    known = [error for key, error in found.items() if key in nodes]
    if found and not known:
        raise InputError(
            f"comparison: the report's delegates run none of its nodes, such as '{next(iter(found))[1]}': it is of "
            "another model, or another split; compare anew."
        )
    return known


def _names(delegates: str) -> set[str]:
    return {name.strip() for name in delegates.split(",")}


def _worst(errors: Iterable[NodeError]) -> dict[tuple[str, str], NodeError]:
    """The worst error of each node, by graph and name."""
    found: dict[tuple[str, str], NodeError] = {}
    for error in errors:
        key = (error.graph, error.node)
        if key not in found or error.snr_db < found[key].snr_db:
            found[key] = error
    return found


def _errors(part: _ComparedPart, scope: str) -> Iterator[NodeError]:
    ratios = [_ratio(tensor.own) for tensor in part.tensors if tensor.own is None or tensor.own.elements]
    if part.outcome == SKIPPED or not (ratios or part.outcome == "failed"):
        return
    least = min(ratios, default=LEAST_DB) if part.outcome != "failed" else LEAST_DB
    noise = None if least <= LEAST_DB else 10 ** (-least / 20)
    yield from (NodeError(name, part.graph, noise, part.outcome, scope) for name in part.kernels)


def _ratio(own: _OwnMetrics | None) -> float:
    """The signal-to-noise ratio in dB; infinite where nothing differs."""
    if own is None or (own.snr_db is None and own.differing):
        return LEAST_DB
    if not own.differing:
        return math.inf
    try:
        return float(own.snr_db)
    except (TypeError, ValueError):
        raise InputError(f"comparison: 'snr_db' must be a number, 'inf' or '-inf', found {own.snr_db!r}.") from None

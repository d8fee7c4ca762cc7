"""What the scheduler decided, node by node: the source of every report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..delegate import RejectCode

CPU = "CPU"
"""Device name of kernels that run on the reference kernels."""


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """Where one node runs and why.

    Attributes:
        name: the node's name.
        type: its operator type.
        device: ``"CPU"`` or the delegate's name.
        subgraph: the name of the graph kernel it is part of, None on the CPU.
        code: why it is on the CPU, None when it is not.
        reason: the same for people, "" when it is not.
        graph: the subgraph of the model that it is in, "" in the main graph.
    """

    name: str
    type: str
    device: str
    subgraph: str | None
    code: RejectCode | None
    reason: str
    graph: str = ""


class SubgraphStatus(StrEnum):
    """How a graph kernel has done since the plan was made.

    1. OK: it never failed.
    2. FAILED: it failed at least once, and is asked again with each prediction.
    3. LOST: its device is lost. With ``Context.on_delegate_error = "fallback"`` it is not asked again.
    """

    OK = "ok"
    FAILED = "failed"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class SubgraphRecord:
    """One graph kernel: the nodes it stands for and what crosses its boundary, by tensor name.

    ``graph`` is the subgraph of the model that they are in, "" for the main graph. ``failures`` counts the predictions
    in which the graph kernel failed, ``error`` is the last error, "" for none. ``estimated_us`` is how long the
    delegate expects one run to take, in microseconds: an estimate, None where it gives none.
    """

    name: str
    kernels: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    boundary_bytes: int
    graph: str = ""
    status: SubgraphStatus = SubgraphStatus.OK
    failures: int = 0
    error: str = ""
    estimated_us: float | None = None


@dataclass(frozen=True, slots=True)
class PartitionRecord:
    """The partition of one plan.

    Attributes:
        delegate: the delegate's name, None when none was set.
        notes: what the user should know of the whole model (the device is not there, ...).
        nodes: in execution order; those of the main graph, then those of each subgraph of the model that is called.
        subgraphs: in the same order.
        minimum_subgraphs: no execution order has fewer subgraphs for the nodes that the delegate runs.
        minimum_proof: names of the nodes of a dependency path that forces that many; where the model has
            subgraphs, one path of each graph behind the other.
    """

    delegate: str | None
    notes: tuple[str, ...]
    nodes: tuple[NodeRecord, ...]
    subgraphs: tuple[SubgraphRecord, ...]
    minimum_subgraphs: int
    minimum_proof: tuple[str, ...]

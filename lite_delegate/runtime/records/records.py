"""The scheduler's decisions, node by node: the source of every report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from ...basics.data_class import dataclass
from ...delegate import RejectCode
from ...partition import PartitionOptions
from ...partition.placement import source_text
from ...partition.what_if.asked import AskedGraph
from .alternatives import AlternativeRecord, CalibrationRecord

CPU = "CPU"
"""Device name of kernels that run on the reference kernels."""


def is_cpu(device: str) -> bool:
    """True if a user who writes this means the CPU."""
    return device.upper() == CPU


@dataclass(frozen=True, slots=True)
class TensorRecord:
    """A tensor of the model.

    Attributes:
        id: tells tensors of one record apart: names in a model file need not be unique.
        name: its name in the model file, which may be "".
        dtype: the name of its element type.
        shape: its dimensions, -1 where one is not known; None where not even their number is.
        nbytes: its size in bytes; 0 where it is not known.
        constant: whether its contents are part of the model.
    """

    id: int
    name: str
    dtype: str
    shape: tuple[int, ...] | None
    nbytes: int
    constant: bool = False


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A node of the model file that a node comes from, see ``ir.Source``.

    Attributes:
        name: in the file.
        type: the file's operator type.
        path: the names of what it is in, outermost first.
        place: its position, behind those of what it is in: no other node of the file has the same.
    """

    name: str
    type: str
    path: tuple[str, ...] = ()
    place: tuple[int, ...] = ()

    @property
    def full_name(self) -> str:
        """The name, behind the names of the graphs and functions around the node."""
        return "/".join((*self.path, self.name))

    @property
    def numbered_name(self) -> str:
        """Type and position, behind the names of the graphs and functions around the node; see ``ir.Source``."""
        return "/".join((*self.path, f"{self.type}-{self.place[-1]}")) if self.place else ""


@dataclass(frozen=True, slots=True)
class RemovedRecord:
    """A node of the model file that is in no node of the plan.

    Attributes:
        name, type, path, place: as those of ``SourceRecord``.
        into: the full names of the nodes of the file that read what it gave, or what was made of that.
    """

    name: str
    type: str
    path: tuple[str, ...] = ()
    place: tuple[int, ...] = ()
    into: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        """The name, behind the names of the graphs and functions around the node."""
        return "/".join((*self.path, self.name))


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
        attributes: of its operator, by name: None, bool, int, float, str, tuples and dicts of these.
        inputs: what it reads, in the operator's order, absent optional ones left out.
        outputs: what it makes, in the operator's order.
        hint: what the user can do to get it onto the device, "" for nothing.
        sources: what it was in the model file, in the order of the file.
        host_us: microseconds on the CPU: measured where placement by gain has times, else a rough estimate from shapes;
            None where it is not known.
        provider: what runs it, as the runtime behind the delegate said once it was compiled ("CPUExecutionProvider",
            "GPU.0"); "" on the CPU's own kernels, and where the runtime does not say.
    """

    name: str
    type: str
    device: str
    subgraph: str | None
    code: RejectCode | None
    reason: str
    graph: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict, hash=False)
    inputs: tuple[TensorRecord, ...] = ()
    outputs: tuple[TensorRecord, ...] = ()
    hint: str = ""
    sources: tuple[SourceRecord, ...] = ()
    host_us: float | None = None
    provider: str = ""

    @property
    def operator(self) -> str:
        """The operator type in the model file, of a fused node its first node's; else the schema's type."""
        return self.sources[0].type if self.sources else self.type

    @property
    def types(self) -> tuple[str, ...]:
        """The words for the node's operator type: the schema's, and those in the model file."""
        return tuple(dict.fromkeys((self.type, *(source.type for source in self.sources))))


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A node by its name and operator type."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class RewriteRecord:
    """Nodes that were put in an equal form before a delegate was asked, because of its limits.

    Attributes:
        delegate: whose limits these are.
        rule: "movement" for a chain of nodes that only move elements, "fewer-axes" for a node over merged axes.
        before: the nodes as they were.
        after: what gives the same results, the reshapes of "fewer-axes" left out; none where nothing was to be done.
        code: why the delegate rejected the first of ``before`` that it did; None where there are only fewer nodes now.
        reason: the same for people, "" where there was none.
        sources: what ``before`` was in the model file, in the order of the file.
    """

    delegate: str
    rule: str
    before: tuple[NamedNode, ...]
    after: tuple[NamedNode, ...]
    code: RejectCode | None = None
    reason: str = ""
    sources: tuple[SourceRecord, ...] = ()


class SubgraphStatus(StrEnum):
    """The state of a graph kernel since the plan was made.

    1. OK: it never failed.
    2. FAILED: it failed at least once, and is asked again with each prediction.
    3. LOST: its device is lost. With ``Context.on_delegate_error = "fallback"`` it is not asked again.
    """

    OK = "ok"
    FAILED = "failed"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class SubgraphRecord:
    """One graph kernel: the nodes that it stands for and the tensors that cross its boundary, by name.

    ``graph`` is the subgraph of the model that they are in, "" for the main graph. ``failures`` counts the predictions
    in which the graph kernel failed, ``error`` is the last error, "" for none. ``estimated_us`` is how long the
    delegate expects one run to take, in microseconds: an estimate, None where it gives none. ``input_tensors`` and
    ``output_tensors`` say of ``inputs`` and ``outputs`` what they are, in the same order. ``delegate`` is the name of
    the delegate that runs it. ``saved_us`` is by how much it is faster than its nodes on the CPU, in microseconds, by
    the times that placement by gain worked with; None where there are none. ``input_wait_us`` is how long the device
    waits for input where one prediction follows the other, in microseconds: an estimate, None where the delegate does
    not say. ``traceback`` is
    that of the last error.
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
    input_tensors: tuple[TensorRecord, ...] = ()
    output_tensors: tuple[TensorRecord, ...] = ()
    delegate: str = ""
    saved_us: float | None = None
    input_wait_us: float | None = None
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class CpuGroupRecord:
    """Nodes on the CPU that run together on a runtime's kernels, see ``Context.cpu.backends``.

    Attributes:
        name: of the group.
        device: the CPU with the runtime's name: "CPU (onnxruntime)".
        kernels: the names of its nodes, in execution order.
        inputs: the names of the tensors that it takes.
        outputs: those of what it gives.
        graph: the subgraph of the model that it is in, "" in the main graph.
    """

    name: str
    device: str
    kernels: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    graph: str = ""


@dataclass(frozen=True, slots=True)
class PlacementRecord:
    """The result of placement by gain for one delegate: microseconds of a prediction whose kernels run in sequence.

    What runs on delegates before it is left out; what runs on those behind it counts as if the CPU ran it.

    Attributes:
        cpu_us: all on the CPU.
        claimed_us: the delegate with everything that it claims and that lists allow.
        chosen_us: as it is.
        host_source: where the CPU's figures come from, "measured" or "estimate".
        device_source: where those of the device's kernels and starts come from.
        transfer_source: where those of transfers come from.
    """

    cpu_us: float
    claimed_us: float
    chosen_us: float
    host_source: str
    device_source: str
    transfer_source: str

    @property
    def source(self) -> str:
        """Where the figures come from, for people."""
        return source_text(self.host_source, self.device_source, self.transfer_source)


@dataclass(frozen=True, slots=True)
class DelegateRecord:
    """The part that one delegate took.

    Attributes:
        name: the delegate's.
        kernels: how many nodes it runs.
        subgraphs: how many graph kernels it made of them.
        minimum_subgraphs: no execution order has fewer subgraphs for these nodes, given what the delegates before it
            took: their subgraphs count as one node each.
        minimum_proof: names of the nodes, and of the subgraphs of earlier delegates, of a dependency path that forces
            that many; where the model has subgraphs, one path of each graph behind the other.
        placement: what placement by gain came to, None without it.
        absent: why its device is not there, so that it took nothing; "" where it is there, or compiled off-device.
        off_device: what its graph kernels are compiled for, where its device is not there: they do not run here.
    """

    name: str
    kernels: int
    subgraphs: int
    minimum_subgraphs: int
    minimum_proof: tuple[str, ...]
    placement: PlacementRecord | None = None
    absent: str = ""
    off_device: str = ""


@dataclass(frozen=True, slots=True)
class FailureRecord:
    """Something that a delegate raised while the model was planned.

    Attributes:
        text: what the user was warned of.
        traceback: of what was raised, as Python prints it; the same cause may be met on several ways, so records that
            differ in it alone are equal.
    """

    text: str
    traceback: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class PartitionRecord:
    """The partition of one plan.

    Attributes:
        delegate: the delegate's name, None when none was set; of several the names, separated by commas.
        notes: what the user should know of the whole model (the device is not there, ...).
        nodes: in execution order; those of the main graph, then those of each subgraph of the model that is called.
        subgraphs: in the same order.
        minimum_subgraphs: no execution order has fewer subgraphs for the nodes that the delegate runs; of several
            delegates the sum of what ``delegates`` has.
        minimum_proof: names of the nodes of a dependency path that forces that many; where there are several delegates,
            or the model has subgraphs, one path of each behind the other.
        inputs: of the model, in API order.
        outputs: of the model, in API order.
        options: what the user asked of the partitioner.
        delegates: what each delegate took, in order of preference.
        removed: the nodes of the model file that are in none of ``nodes``: all others are in the sources of one.
        rewrites: what was put in equal forms before the delegates were asked, in order.
        failures: what delegates raised, one for each cause.
        alternatives: the plans among which the fastest was looked for; none with another placement.
        cpu_groups: the nodes on the CPU that run on a runtime's kernels, group by group in execution order.
        calibration: what looking for the fastest took; None where nothing was measured.
        threads: of the host for each run, where measuring has chosen how many; 0: as the user or the runtimes say.
        asked: what the delegates answered, graph by graph, for planning anew; none where one does not state its claims.
    """

    delegate: str | None
    notes: tuple[str, ...]
    nodes: tuple[NodeRecord, ...]
    subgraphs: tuple[SubgraphRecord, ...]
    minimum_subgraphs: int
    minimum_proof: tuple[str, ...]
    inputs: tuple[TensorRecord, ...] = ()
    outputs: tuple[TensorRecord, ...] = ()
    options: PartitionOptions = field(default_factory=PartitionOptions)
    delegates: tuple[DelegateRecord, ...] = ()
    removed: tuple[RemovedRecord, ...] = ()
    rewrites: tuple[RewriteRecord, ...] = ()
    failures: tuple[FailureRecord, ...] = ()
    alternatives: tuple[AlternativeRecord, ...] = ()
    cpu_groups: tuple[CpuGroupRecord, ...] = ()
    calibration: CalibrationRecord | None = None
    threads: int = 0
    asked: tuple[AskedGraph, ...] = field(default=(), repr=False, hash=False)

"""The scheduler's decisions, node by node: the source of every report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Any

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief, OneLine, some
from ...delegate import RejectCode
from ...partition import PartitionOptions
from ...partition.placement import source_text
from ...partition.what_if.asked import AskedGraph
from .alternatives import AlternativeRecord, CalibrationRecord

CPU = "CPU"
"""Device name of kernels that run on the reference kernels."""
NODE_HEADINGS = ("name", "type", "device", "subgraph", "reason")
"""Of the nodes of a partition in a notebook."""


def is_cpu(device: str) -> bool:
    """True if a user who writes this means the CPU."""
    return device.upper() == CPU


def with_cpu(device: str) -> str:
    """The name of the device that runs the nodes which a device leaves: HETERO with the CPU behind.

    Args:
        device: the name of a device, or the names of several devices, "A,B" or "HETERO:A,B".
    """
    return f"HETERO:{device.removeprefix('HETERO:')},{CPU}"


@dataclass(frozen=True, slots=True)
class TensorRecord(Brief):
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
class SourceRecord(Brief):
    """A node of the model file that a node comes from, see ``ir.Source``.

    Attributes:
        name: the node's name in the file.
        type: the operator type in the file.
        path: the names of the nodes and functions that it is in, outermost first.
        place: its position, behind the positions of the nodes that it is in: unique in the file.
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
class RemovedRecord(Brief):
    """A node of the model file that is in no node of the plan.

    Attributes:
        name, type, path, place: as in ``SourceRecord``.
        into: the full names of the nodes of the file that read its outputs, or values made from them.
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
class NodeRecord(Brief):
    """Where one node runs and why.

    Attributes:
        name: the node's name.
        type: its operator type.
        device: ``"CPU"`` or the delegate's name.
        subgraph: the name of the graph kernel it is part of, None on the CPU.
        code: why it is on the CPU, None when it is not.
        reason: the code's reason in words, "" when the node is not on the CPU.
        graph: the subgraph of the model that it is in, "" in the main graph.
        attributes: of its operator, by name: None, bool, int, float, str, tuples and dicts of these.
        inputs: its inputs, in the operator's order, absent optional inputs left out.
        outputs: its outputs, in the operator's order.
        hint: advice on getting the node onto the device, "" for none.
        sources: the nodes of the model file that it comes from, in the order of the file.
        host_us: microseconds on the CPU: measured where placement by gain has times, else a rough estimate from shapes;
            None where it is not known.
        provider: the provider or device that runs it, as the runtime behind the delegate named it once compiled
            ("CPUExecutionProvider", "GPU.0"); "" on the CPU's own kernels, and where the runtime does not say.
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
        """The words for the node's operator type: the schema's name, and the types in the model file."""
        return tuple(dict.fromkeys((self.type, *(source.type for source in self.sources))))


@dataclass(frozen=True, slots=True)
class NamedNode(Brief):
    """A node by its name and operator type."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class RewriteRecord(Brief):
    """Nodes that were put in an equal form before a delegate was asked, because of its limits.

    Attributes:
        delegate: the delegate that has the limits.
        rule: "movement" for a chain of nodes that only move elements, "fewer-axes" for a node over merged axes.
        before: the nodes as they were.
        after: the nodes with the same results, the reshapes of "fewer-axes" left out; empty where no node is needed.
        code: why the delegate rejected the first rejected node of ``before``; None where it rejected none of them.
        reason: the code's reason in words, "" without a code.
        sources: the nodes of the model file that ``before`` comes from, in the order of the file.
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
class SubgraphRecord(Brief):
    """One graph kernel: the nodes that it stands for and the tensors that cross its boundary, by name.

    ``graph`` is the subgraph of the model that the nodes are in, "" for the main graph. ``failures`` counts the
    predictions in which the graph kernel failed, ``error`` is the last error, "" for none, and ``traceback`` the last
    error's traceback. ``estimated_us`` is the delegate's estimate of one run, in microseconds, None without an
    estimate. ``input_tensors`` and ``output_tensors`` describe ``inputs`` and ``outputs``, in the same order.
    ``delegate`` is the name of the delegate that runs it. ``saved_us`` is by how much it is faster than its nodes on
    the CPU, in microseconds, by the times of placement by gain; None without such times. ``input_wait_us`` is the
    delegate's estimate of the time that the device waits for input where one prediction follows the other, in
    microseconds; None without an estimate.
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
class CpuGroupRecord(Brief):
    """Nodes on the CPU that run together on a runtime's kernels, see ``Context.cpu.backends``.

    Attributes:
        name: the group's name.
        device: the CPU with the runtime's name: "CPU (onnxruntime)".
        kernels: the names of its nodes, in execution order.
        inputs: the names of its input tensors.
        outputs: the names of its output tensors.
        graph: the subgraph of the model that it is in, "" in the main graph.
    """

    name: str
    device: str
    kernels: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    graph: str = ""


@dataclass(frozen=True, slots=True)
class PlacementRecord(Brief):
    """The result of placement by gain for one delegate: microseconds of a prediction whose kernels run in sequence.

    Kernels on earlier delegates are left out; kernels on later delegates count as if the CPU ran them.

    Attributes:
        cpu_us: all kernels on the CPU.
        claimed_us: the delegate with all claimed kernels that lists allow.
        chosen_us: the chosen placement.
        host_source: the source of the CPU's figures, "measured" or "estimate".
        device_source: the source of the figures of the device's kernels and starts.
        transfer_source: the source of the figures of transfers.
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
class DelegateRecord(Brief):
    """The part that one delegate took.

    Attributes:
        name: the delegate's.
        kernels: the number of nodes that it runs.
        subgraphs: the number of its graph kernels.
        minimum_subgraphs: no execution order has fewer subgraphs for these nodes; each subgraph of an earlier delegate
            counts as one node.
        minimum_proof: names of the nodes, and of the subgraphs of earlier delegates, of a dependency path that forces
            that many; where the model has subgraphs, one path of each graph behind the other.
        placement: the result of placement by gain, None without it.
        absent: why its device is not there, so that it took nothing; "" where it is there, or compiled off-device.
        off_device: the target that its graph kernels are compiled for, where its device is not there: they do not run
            here.
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
class FailureRecord(Brief):
    """An error that a delegate raised while the model was planned.

    Attributes:
        text: the warning that the user got.
        traceback: the traceback as Python prints it; one cause may have several tracebacks, so records that differ only
            in the traceback are equal.
    """

    text: str
    traceback: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class PartitionRecord(OneLine):
    """The partition of one plan.

    Attributes:
        delegate: the delegate's name, None when none was set; several names are separated by commas.
        notes: notes on the whole model (the device is not there, ...).
        nodes: the nodes in execution order: the main graph first, then each called subgraph of the model.
        subgraphs: the graph kernels, in the same order.
        minimum_subgraphs: no execution order has fewer subgraphs for the nodes that the delegate runs; for several
            delegates the sum of their ``minimum_subgraphs``.
        minimum_proof: names of the nodes of a dependency path that forces that many; where there are several delegates,
            or the model has subgraphs, one path of each behind the other.
        inputs: the inputs of the model, in API order.
        outputs: the outputs of the model, in API order.
        options: the user's partition options.
        delegates: the part of each delegate, in order of preference.
        removed: the nodes of the model file that are in none of ``nodes``: every other node is a source of one.
        rewrites: the nodes that were put in equal forms before the delegates were asked, in order.
        failures: the errors that delegates raised, one for each cause.
        alternatives: the candidates for the fastest plan; empty with another placement.
        cpu_groups: the nodes on the CPU that run on a runtime's kernels, group by group in execution order.
        calibration: the cost of the search for the fastest plan; None where nothing was measured.
        threads: the host's threads for each run, where measurements chose them; 0: as the user or the runtimes say.
        asked: the delegates' answers, graph by graph, for planning anew; empty where a delegate does not state its
            claims.
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

    def _line(self) -> str:
        return partition_line(self.nodes, self.subgraphs)

    def _repr_html_(self) -> str:
        """What a notebook shows: a line, a drawing of the partition, and the first nodes."""
        from ...basics.words.fragments import fragment
        from .strip import partition_strip

        rows = [(node.name, node.type, node.device, node.subgraph, node.reason) for node in self.nodes]
        return fragment(repr(self), partition_strip(self.nodes), NODE_HEADINGS, rows, "nodes has all")


def partition_line(nodes: Sequence[NodeRecord], subgraphs: Sequence[SubgraphRecord]) -> str:
    """The numbers of kernels and of subgraphs, and the devices: "74 kernels, 70 of them in 2 subgraphs on npu"."""
    total, delegated = counted(len(nodes), "kernel"), [node for node in nodes if node.subgraph is not None]
    if not subgraphs:
        return f"{total} on {CPU}"
    share = "" if len(delegated) == len(nodes) else f"{len(delegated):,} of them in "
    devices = some(dict.fromkeys(node.device for node in delegated))
    return f"{total}, {share}{counted(len(subgraphs), 'subgraph')} on {devices}"

"""Repair: the nodes that must keep float32 so that a model is usable on its device, as data."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from lite_delegate_kernels import Array

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..errors import InputError
from ..numerics.usability import OutputUse
from ..runtime.records import PartitionRecord
from ..tensors.tensor import Tensor


@dataclass(frozen=True, slots=True)
class RepairOptions(Brief):
    """The limits of a repair.

    Attributes:
        seconds: the time after which nothing more is tried; half of it is for rounded reference runs, the rest for
            builds on the device. A build or a run that has begun is not stopped.
        device: where the nodes are to be kept: the name of one of the model's delegates, or "CPU". None: the delegate
            that states to store float32, where the model has one beside the one that loses digits; else the CPU.
        also: further inputs, as for ``compare``, for which the plan must hold, too; of the same shapes.
        exhaustive: where there are at most so many smaller sets of nodes, all of them are tried by rounded reference
            runs, which shows that none is enough.
        progress: is told what is being done, a sentence each time; None: nobody is.

    Raises:
        InputError: no time, or less than no sets.
    """

    seconds: float = 60.0
    device: str | None = None
    also: Sequence[Mapping[str, Tensor | Array]] = field(default=(), compare=False)
    exhaustive: int = 1000
    progress: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise InputError(f"RepairOptions: seconds must be more than 0, got {self.seconds}.")
        if self.exhaustive < 0:
            raise InputError(f"RepairOptions: exhaustive must be at least 0, got {self.exhaustive}.")


@dataclass(frozen=True, slots=True)
class PlanCost(Brief):
    """The cost of a plan of the model.

    Attributes:
        subgraphs: how many graph kernels there are.
        boundary_bytes: bytes that cross between them and the rest in a prediction.
        delegated: nodes in subgraphs.
        estimated_us: microseconds of a prediction, an estimate: the delegates' of their subgraphs, and for nodes on the
            CPU the rough ones from shapes; None where one is not known.
    """

    subgraphs: int
    boundary_bytes: int
    delegated: int
    estimated_us: float | None


@dataclass(frozen=True, slots=True)
class Repair(Brief):
    """Nodes to keep in float32, tried on the device.

    Attributes:
        reached: whether the model is usable on its device with them, by a real run.
        device: where they are kept, "CPU" or a delegate's name.
        kept: their names.
        affinity: the plan, as ``PartitionOptions.affinity`` and ``--affinity`` take it.
        before: the outputs of the model as it was.
        after: the outputs with the plan; none where no plan ran.
        cost_before: the cost of the model as it was.
        cost_after: the cost with the plan; None where no plan ran.
        minimal: each node was left out once on the device, and the model was not usable then.
        minimum: every smaller set of nodes was tried by rounded reference runs, and none was enough there. The device
            may round otherwise, so this is no proof for the device.
        emulated: rounded reference runs that it took.
        built: plans that were built on the device.
        seconds: that it took.
        samples: sets of inputs that it was tried with; ``before`` and ``after`` have the worst of each output.
        out_of_time: whether something was not tried because its time was over.
        notes: what else is to be said.
    """

    reached: bool
    device: str
    kept: tuple[str, ...]
    affinity: Mapping[str, str] = field(hash=False)
    before: tuple[OutputUse, ...]
    after: tuple[OutputUse, ...]
    cost_before: PlanCost
    cost_after: PlanCost | None
    minimal: bool
    minimum: bool
    emulated: int
    built: int
    seconds: float
    samples: int = 1
    out_of_time: bool = False
    notes: tuple[str, ...] = ()

    def to_affinity(self) -> str:
        """The plan as the JSON text that ``--affinity`` reads."""
        return json.dumps(dict(self.affinity), indent=2) + "\n"

    @property
    def proof(self) -> str:
        """The proof that the set of nodes is small, in one sentence."""
        count = counted(len(self.kept), "node")
        if not self.kept:
            return "nothing had to be kept"
        parts = [f"{count}, as few as were found; not shown to be the fewest"]
        if self.minimal:
            parts = [f"minimal: each of the {count} was left out once on the device, and the goal was missed"]
        if self.minimum:
            parts.append("no smaller set reaches it in rounded reference runs, all were tried")
        return "; ".join(parts)


def cost_of(record: PartitionRecord) -> PlanCost:
    """The cost of a plan, by its record."""
    times = [subgraph.estimated_us for subgraph in record.subgraphs]
    times += [node.host_us for node in record.nodes if node.subgraph is None]
    known = [us for us in times if us is not None and math.isfinite(us)]
    return PlanCost(
        subgraphs=len(record.subgraphs),
        boundary_bytes=sum(subgraph.boundary_bytes for subgraph in record.subgraphs),
        delegated=sum(node.subgraph is not None for node in record.nodes),
        estimated_us=sum(known) if len(known) == len(times) else None,
    )

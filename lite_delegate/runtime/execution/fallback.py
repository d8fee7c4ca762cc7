"""Guard: what a plan knows of a graph kernel while it runs, and the CPU kernels that can stand in for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from lite_delegate_kernels import Array

from ...delegate import Kernel
from ...errors import DelegateExecuteError, DeviceLost
from ...ir import DataType
from ...tensor import Tensor
from ..binding.bind import BoundGraph
from ..binding.node_kernel import NodeKernel
from ..drafting.draft import Draft
from ..records.records import SubgraphRecord, SubgraphStatus
from .plan import GraphPlan, plan_graph
from .steps import Call, run_steps, unpacked
from .watching import watched


@dataclass(frozen=True, slots=True, eq=False)
class StandIn:
    """The CPU kernels that run in place of a graph kernel.

    Attributes:
        kernels: the nodes it stands for, in execution order; they are bound to the plan's tensors.
        inputs: what they are handed, in order: the inputs of the graph kernel that vary, then what else they read.
        outputs: those of the graph kernel, in order.
        obstacle: why they cannot run, "" when they can.
    """

    kernels: tuple[NodeKernel, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    obstacle: str

    def plan(self) -> GraphPlan:
        """Their steps over buffers of their own."""
        graph = BoundGraph(0, "", self.inputs, self.outputs, self.kernels, {}, {})
        return plan_graph(graph, self.kernels)


def stand_in(kernel: Kernel, replaced: Sequence[Kernel], available: Collection[Tensor]) -> StandIn:
    """The CPU kernels for a graph kernel.

    Args:
        kernel: the graph kernel.
        replaced: the nodes it stands for, in execution order.
        available: every tensor that the plan has when the graph kernel runs, constants left out.
    """
    nodes = tuple(k for k in replaced if isinstance(k, NodeKernel))
    made = {t for k in nodes for t in k.outputs}
    taken = [t for t in kernel.inputs if not t.is_const]
    read = dict.fromkeys(t for k in nodes for t in k.inputs if not t.is_const and t not in made)
    given = (*taken, *(t for t in read if t not in taken))
    without = [f"'{k.name}' ({k.type})" for k in nodes if k.function is None]
    absent = [f"'{t.name}'" for t in given if t not in available]
    obstacle = ""
    if without:
        obstacle = f"it has no kernel for {', '.join(without)}"
    elif absent:
        obstacle = f"the delegate's build left nobody to give it {', '.join(absent)}"
    return StandIn(nodes, given, kernel.outputs, obstacle)


def stand_ins_of(models: Iterable[Draft], notes: list[str]) -> dict[Kernel, StandIn]:
    """The CPU kernels for every graph kernel; a note is added for each that the CPU could not run."""
    found: dict[Kernel, StandIn] = {}
    for model in models:
        available, replaced = {*model.inputs, *model.variables}, model.replaced
        for kernel in model:
            if kernel in replaced:
                found[kernel] = made = stand_in(kernel, replaced[kernel], available)
                if made.obstacle:
                    notes.append(f"The CPU cannot run subgraph '{kernel.name}' if the device fails: {made.obstacle}.")
            available.update(kernel.outputs)
    return found


def handed(stand_ins: Mapping[Kernel, StandIn]) -> dict[Kernel, tuple[Tensor, ...]]:
    """What the plan hands to each graph kernel: what the CPU needs to run in its place, if it can."""
    return {kernel: each.inputs for kernel, each in stand_ins.items() if not each.obstacle}


class Guard:
    """One graph kernel of a plan: whether its device works, and who runs it when not. Safe for several threads.

    1. A device that is lost is not asked again by this plan; the CPU runs the subgraph from then on.
    2. Any other failure (a timeout, a result of a wrong size, ...) may have gone by the next time: that prediction
       runs on the CPU, the next one asks the device again.

    Args:
        kernel: the graph kernel.
        stand_in: the CPU kernels to fall back on; None: a failure is the caller's.
        any_shape: whether what it gives may have any shape, because the caller looks at that.
    """

    def __init__(self, kernel: Kernel, stand_in: StandIn | None, *, any_shape: bool = False) -> None:
        self.expected = tuple((t.name, None if any_shape else _shape(t)) for t in kernel.outputs)
        self._name = kernel.name
        self._stand_in = stand_in
        self._falls_back = stand_in is not None and not stand_in.obstacle
        self._calls: tuple[GraphPlan, list[Call]] | None = None
        self._lock = Lock()
        self._failures = 0
        self._error = ""
        self._lost = False
        self._warned = False

    @property
    def stand_in(self) -> StandIn | None:
        """The CPU kernels that can run in its place; None where a failure is the caller's."""
        return self._stand_in

    @property
    def is_lost(self) -> bool:
        """True once the device was lost: it needs a new plan to be used again."""
        return self._lost

    @property
    def asks_device(self) -> bool:
        """False when the CPU runs the subgraph from now on."""
        return not (self._lost and self._falls_back)

    def failed(self, error: DelegateExecuteError) -> None:
        """Notes a failure. Returns if the CPU can run the subgraph.

        Raises:
            DelegateExecuteError: it cannot: ``error`` itself, or one of its kind with the reason added.
        """
        with self._lock:
            self._failures += 1
            self._error = str(error)
            self._lost = self._lost or isinstance(error, DeviceLost)
        if self._stand_in is None:
            raise error
        if not self._falls_back:
            kind = DeviceLost if isinstance(error, DeviceLost) else DelegateExecuteError
            raise kind(f"{error} The CPU cannot take over: {self._stand_in.obstacle}.") from error

    def run_on_cpu(self, arrays: Sequence[Array]) -> tuple[Any, ...]:
        """The outputs of the subgraph by the CPU kernels, for ``StandIn.inputs``.

        Raises:
            KernelError: a CPU kernel failed; the message names its node.
        """
        plan, calls = self._planned()
        buffers = list(plan.template)
        for slot, array in zip(plan.input_slots, arrays, strict=True):
            buffers[slot] = array
        run_steps(watched(calls), buffers)
        return tuple(buffers[slot] for slot in plan.output_slots)

    def take_warning(self) -> str:
        """What the user has to be told, once: "" when nothing new has to be said."""
        with self._lock:
            if self._warned or not self._failures or not self._falls_back:
                return ""
            self._warned = True
        return self.note()

    def note(self) -> str:
        """What happened so far, "" if nothing did."""
        with self._lock:
            failures, error, lost = self._failures, self._error, self._lost
        if not failures:
            return ""
        times = "once" if failures == 1 else f"{failures} times"
        head = f"Subgraph '{self._name}' failed on the device {times}"
        if not self._falls_back:
            done = "the predictions failed"
        elif lost:
            done = "the CPU runs it until the model is built or resized anew, because the device is lost"
        else:
            done = "the CPU ran it instead; the next prediction tries the device again"
        return f"{head}, {done}. The last error: {error}"

    def record(self, planned: SubgraphRecord) -> SubgraphRecord:
        """The record of the subgraph with what happened since the plan was made."""
        with self._lock:
            if not self._failures:
                return planned
            status = SubgraphStatus.LOST if self._lost else SubgraphStatus.FAILED
            return replace(planned, status=status, failures=self._failures, error=self._error)

    def _planned(self) -> tuple[GraphPlan, list[Call]]:
        """The plan of the CPU kernels, made at the first failure."""
        assert self._stand_in is not None
        with self._lock:
            if self._calls is None:
                plan = self._stand_in.plan()
                steps = [step for segment in plan.segments for step in segment.steps]
                self._calls = plan, [unpacked(s, s.function) for s in steps if s.function is not None]
            return self._calls


def _shape(tensor: Tensor) -> list[int] | None:
    """The shape that an output must have; None where that shows only when it is there."""
    return None if tensor.dtype == DataType.STRING else tensor.shape

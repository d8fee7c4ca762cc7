"""Fallback: the health of graph kernels while a plan runs, and the CPU kernels that run when a device fails."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

from lite_delegate_kernels import Array

from ...basics.failures import Told
from ...basics.forking import free, free_in_children
from ...delegate import Kernel
from ...delegate.calls.log import DelegateLog
from ...errors import DelegateExecuteError, DeviceLost
from ..binding.bind import BoundGraph
from ..records.records import PartitionRecord, SubgraphRecord, SubgraphStatus
from .plan import ExecutionPlan, GraphPlan, plan_graph
from .stand_in import StandIn
from .steps import BoundSteps

_INSTEAD = "the CPU runs subgraph '%s', which failed on the device: %s"


class Fallback:
    """One graph kernel while its plan runs: whether its device works, and the CPU kernels that run when it does not.

    Safe for several threads.

    1. A device that is lost is not asked again for this plan; the CPU runs the subgraph from then on.
    2. Any other failure (a timeout, a result of a wrong size, ...) may have gone by the next time: that prediction
       runs on the CPU, the next one asks the device again.

    Args:
        kernel: the graph kernel.
        stand_in: the CPU kernels to fall back on; None: a failure is raised to the caller.
        turn: the lock that a run of the graph kernel itself holds, where it cannot be forked.
        news: gets the fallback when the user is to be warned of a failure.
        log: is told of failures.
        is_cpu: the graph kernel is a part of the CPU that a runtime runs, and belongs to no delegate.

    Attributes:
        asks_device: False when the CPU runs the subgraph from now on.
        name: the graph kernel's.
        turn: see above.
        is_lost: True once the device was lost: it needs a new plan to be used again.
    """

    def __init__(
        self,
        kernel: Kernel,
        stand_in: StandIn | None,
        turn: Lock | None = None,
        news: deque[Fallback] | None = None,
        log: DelegateLog | None = None,
        *,
        is_cpu: bool = False,
    ) -> None:
        self.asks_device = True
        self.is_lost = False
        self.turn = Lock() if turn is None else turn
        self._news: deque[Fallback] = deque() if news is None else news
        self._log = log
        self._is_cpu = is_cpu
        self.name = kernel.name
        self._stand_in = stand_in
        self._falls_back = stand_in is not None and not stand_in.obstacle
        self._is_on = True
        self._on_cpu: tuple[GraphPlan, BoundSteps] | None = None
        self._lock = Lock()
        self._failures = 0
        self._error = Told("")
        self._warned: set[SubgraphStatus] = set()
        self._overruns = 0
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``. Runtimes have threads, which a child has not: numpy runs their groups there."""
        free(self.turn)
        free(self._lock)
        if self._is_cpu:
            self.asks_device = False

    @property
    def falls_back(self) -> bool:
        """Whether CPU kernels run in place of the graph kernel when it fails."""
        return self._falls_back

    def switch(self, *, is_on: bool) -> None:
        """Lets the CPU run in place of the graph kernel from now on where it can, or not."""
        with self._lock:
            self._is_on = is_on
            self._falls_back = is_on and self._stand_in is not None and not self._stand_in.obstacle
            self.asks_device = not (self.is_lost and self._falls_back)

    def failed(self, error: DelegateExecuteError) -> None:
        """Notes a failure. Returns if the CPU can run the subgraph.

        Raises:
            DelegateExecuteError: the CPU cannot: ``error`` itself, or an error of its kind with the reason added.
        """
        with self._lock:
            self._failures += 1
            self._error = Told(str(error), error)
            self.is_lost = self.is_lost or isinstance(error, DeviceLost)
            self.asks_device = not (self.is_lost and self._falls_back)
        if self._stand_in is None or not self._is_on:
            raise error
        if not self._falls_back:
            kind = DeviceLost if isinstance(error, DeviceLost) else DelegateExecuteError
            raise kind(f"{error} The CPU cannot take over: {self._stand_in.obstacle}.") from error
        self._news.append(self)
        if self._log is not None:
            told = "numpy runs group '%s', which failed: %s" if self._is_cpu else _INSTEAD
            self._log.write("LOG_INFO", told, self.name, error)

    def overran(self) -> None:
        """Notes that a cancelled run had to wait for the end of the graph kernel, which never looked."""
        with self._lock:
            self._overruns += 1

    def run_on_cpu(self, arrays: Sequence[Array]) -> tuple[Any, ...]:
        """The outputs of the subgraph by the CPU kernels, for ``StandIn.inputs``.

        Raises:
            KernelError: a CPU kernel failed; the message names its node.
        """
        plan, steps = self._planned()
        buffers = list(plan.template)
        for slot, array in zip(plan.input_slots, arrays, strict=True):
            buffers[slot] = array
        steps.run(buffers)
        return tuple(buffers[slot] for slot in plan.output_slots)

    def take_warning(self) -> str:
        """A warning for the user with the traceback, "" when nothing new has to be said.

        The first failure is said, and the loss of the device: it is final, also where a failure that went by was said.
        """
        with self._lock:
            status = self._status()
            if status in self._warned or SubgraphStatus.LOST in self._warned:
                return ""
            self._warned.add(status)
            error = self._error
        return error.retold(self.note())

    def cancel_note(self) -> str:
        """A note on cancelled runs that had to wait for the graph kernel, "" if none had to."""
        if not self._overruns:
            return ""
        runs = "A cancelled run" if self._overruns == 1 else f"{self._overruns} cancelled runs"
        if self._is_cpu:
            return f"{runs} had to wait for the end of group '{self.name}' of the CPU: its runtime does not look."
        return (
            f"{runs} had to wait for the end of subgraph '{self.name}': its delegate never calls "
            "lite_delegate.cancel_point() while it executes."
        )

    def note(self) -> str:
        """A note on the failures so far, "" without failures."""
        with self._lock:
            failures, error, lost = self._failures, self._error, self.is_lost
        if not failures:
            return ""
        times = "once" if failures == 1 else f"{failures} times"
        if self._is_cpu:
            return f"Group '{self.name}' of the CPU failed {times}, numpy ran it instead. The last error: {error}"
        head = f"Subgraph '{self.name}' failed on the device {times}"
        if not self._falls_back:
            done = "the predictions failed"
        elif lost:
            done = "the CPU runs it until the model is built or resized anew, because the device is lost"
        else:
            done = "the CPU ran it instead; the next prediction tries the device again"
        return f"{head}, {done}. The last error: {error}"

    def record(self, planned: SubgraphRecord) -> SubgraphRecord:
        """The record of the subgraph with its failures since the plan was made."""
        with self._lock:
            if not self._failures:
                return planned
            error = self._error
            return replace(
                planned, status=self._status(), failures=self._failures, error=str(error), traceback=error.traceback
            )

    def _status(self) -> SubgraphStatus:
        """Of a graph kernel that has failed."""
        return SubgraphStatus.LOST if self.is_lost else SubgraphStatus.FAILED

    def _planned(self) -> tuple[GraphPlan, BoundSteps]:
        """The plan of the CPU kernels, made at the first failure."""
        stand_in = self._stand_in
        assert stand_in is not None
        with self._lock:
            if self._on_cpu is None:
                kernels = stand_in.kernels
                plan = plan_graph(BoundGraph(0, "", stand_in.inputs, stand_in.outputs, kernels, {}, {}), kernels)
                steps = [step for segment in plan.segments for step in segment.steps]
                self._on_cpu = plan, BoundSteps(steps, [s.function for s in steps if s.function is not None])
            return self._on_cpu


def turns_of(kernels: Sequence[Kernel]) -> dict[Kernel, Lock]:
    """The lock of each graph kernel, held by a run of the kernel itself; graph kernels that share tensors share it.

    A graph kernel that cannot be forked is bound to the plan's own tensors. Another graph kernel that reads or writes
    these tensors must not run meanwhile in another thread: the tensors would hold that thread's arrays.
    """
    groups: list[tuple[set[int], list[Kernel]]] = []
    for kernel in kernels:
        tensors, members = {id(tensor) for tensor in (*kernel.inputs, *kernel.outputs)}, [kernel]
        for others in [group for group in groups if not group[0].isdisjoint(tensors)]:
            groups.remove(others)
            tensors |= others[0]
            members += others[1]
        groups.append((tensors, members))
    return {kernel: turn for (_, members) in groups for turn in (Lock(),) for kernel in members}


class Fallbacks:
    """The fates of a plan's graph kernels while it runs. Beside the plan, which never changes; thread-safe.

    Args:
        plan: of the graph kernels.
        log: is told of failures; None: nobody is.
    """

    def __init__(self, plan: ExecutionPlan, log: DelegateLog | None = None) -> None:
        news = self._news = deque[Fallback]()
        turns = turns_of((*plan.graph_kernels, *plan.cpu_groups))
        delegated = {k: Fallback(k, plan.stand_ins.get(k), turns[k], news=news, log=log) for k in plan.graph_kernels}
        groups = {k: Fallback(k, plan.stand_ins[k], turns[k], news=news, log=log, is_cpu=True) for k in plan.cpu_groups}
        self._of = {**delegated, **groups}
        self._switched = list(delegated.values())

    @property
    def has_lost_device(self) -> bool:
        """True when a graph kernel's device was lost, so that another plan is needed to use it again."""
        return any(fallback.is_lost for fallback in self._of.values())

    def of(self, kernel: Kernel) -> Fallback:
        """A graph kernel's."""
        return self._of[kernel]

    def switch(self, *, is_on: bool) -> None:
        """Lets the CPU run in place of delegates' graph kernels that fail from now on where it can, or not."""
        for fallback in self._switched:
            fallback.switch(is_on=is_on)

    def unaided(self, kernel: Kernel) -> Fallback:
        """A fallback without stand-in that counts no failures, for callers that handle failures themselves.

        Where the graph kernel cannot be forked, it takes turns with predictions all the same.
        """
        return Fallback(kernel, None, self._of[kernel].turn)

    def take_warnings(self) -> list[str]:
        """Warnings for the user on predictions so far, each thing once."""
        texts = []
        while self._news:
            texts.append(self._news.popleft().take_warning())
        return [text for text in texts if text]

    def record(self, planned: PartitionRecord) -> PartitionRecord:
        """The partition with the failures of the predictions so far."""
        fallbacks = {each.name: each for each in self._of.values()}
        notes = [note for each in fallbacks.values() for note in (each.note(), each.cancel_note()) if note]
        return replace(
            planned,
            notes=(*planned.notes, *notes),
            subgraphs=tuple(fallbacks[s.name].record(s) for s in planned.subgraphs),
        )

"""PlanRunner: runs of one execution plan, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from weakref import finalize

from lite_delegate_kernels import Array

from ...delegate import Kernel, SpanKind, current_recorder, recording
from ...delegate.answers.device_run import DeviceReservation
from ...delegate.calls.log import DelegateLog
from ...delegate.calls.spans import told
from ...errors import DelegateExecuteError
from ...runtime.execution.fallback import Fallbacks
from ...runtime.execution.plan import ExecutionPlan
from ...runtime.execution.run import Instead, Run, has_no_calls
from ...runtime.execution.threads import limited_threads
from ...runtime.execution.watching import DISPATCH
from ...runtime.lifetimes.lease import Lease
from ...runtime.lifetimes.shared import Shared
from ...runtime.records.records import CPU
from ..profiling.stages import StageClock
from .runner import Runner


class PlanRunner(Runner):
    """A runner of one plan: forks of graph kernels, and the arrays that they are bound to.

    Intermediate results are freed during the run; between runs the runner holds the memory of its forks, and the arrays
    that graph kernels are bound to.

    Args:
        plan: the plan to execute.
        lease: of the plan.
        fallbacks: the state of the plan's graph kernels.
        log: of the compiled model.
        threads: for a CPU kernel; 0: the number of the math library.
        instead: runs in the steps of graph kernels in their place; None: the graph kernels run.
        shared_state_buffers: whether the old and the new value of a request's state share one buffer.
        counts_kernels: whether requests measure the time of each CPU kernel.
    """

    _known: Sequence[Kernel] = ()
    """The graph kernels that each run executes once, in order; empty where control flow decides."""

    def __init__(
        self,
        plan: ExecutionPlan,
        lease: Lease,
        fallbacks: Fallbacks,
        log: DelegateLog,
        threads: int,
        instead: Instead | None = None,
        *,
        shared_state_buffers: bool = False,
        counts_kernels: bool = False,
    ) -> None:
        self.plan = plan
        self.lease = lease
        self.log = log
        computes = instead is not None or plan.computes_on_host
        self._run = Run(plan, fallbacks, instead, threads=0 if computes else threads)
        self._fallbacks = fallbacks
        if instead is None and has_no_calls(plan):
            self._known = tuple(plan.graph_kernels)
        self._threads = threads if computes else 0
        self.shared_state_buffers = shared_state_buffers
        self._counts_kernels = counts_kernels
        self._unwatched = None if self._threads or counts_kernels else self._run.unwatched
        self._nbytes = 0
        self._taken = ExitStack()
        finalize(self, self._taken.close).atexit = False

    def take_request_memory(self) -> None:
        """As ``Runner.take_request_memory``; the memory is also given back when the runner is gone."""
        for kernel in self.plan.graph_kernels:
            try:
                memory = kernel.take_request_memory()
            except DelegateExecuteError:  # the device is lost or fails: a run will raise the error, or fall back
                continue
            if memory is not None:
                self._nbytes += memory.nbytes
                self._taken.callback(Shared(memory.give_back, f"memory of a request on '{kernel.name}'").let_go)

    def give_back_memory(self) -> int:
        """As ``Runner.give_back_memory``."""
        nbytes, self._nbytes = self._nbytes, 0
        self._taken.close()
        return nbytes

    def reserve(self, ready_us: float) -> DeviceReservation | None:
        """As ``Runner.reserve``, on the common device of the graph kernels."""
        if not self._known:
            return None
        asked = [kernel for kernel in self._known if self._fallbacks.of(kernel).asks_device]
        places = (kernel.reserve(asked, ready_us) for kernel in asked)
        return next((place for place in places if place is not None), None)

    def run(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """As ``Runner.run``; ``state`` as of ``Run.execute``."""
        if self._unwatched is not None and current_recorder() is None:
            return self._unwatched(self._run, arrays)
        clock = StageClock.current() if self._counts_kernels else None
        return self._executed(arrays, state) if clock is None else self._counted(clock, arrays, state)

    def _counted(self, clock: StageClock, arrays: Sequence[Array], state: list[Array] | None) -> list[Array]:
        """Runs the plan, and adds the times of CPU kernels to the clock of the run."""
        from ..profiling.kernel_times import CpuKernelTimes

        times = CpuKernelTimes(current_recorder())
        try:
            with recording(times):
                return self._executed(arrays, state)
        finally:
            clock.add_layers(CPU, times.layers)

    def _executed(self, arrays: Sequence[Array], state: list[Array] | None) -> list[Array]:
        execute = self._limited if self._threads else self._run.execute
        if current_recorder() is None:
            return execute(arrays, state)
        return told(SpanKind.HOST, DISPATCH, execute, arrays, state)

    def _limited(self, arrays: Sequence[Array], state: list[Array] | None) -> list[Array]:
        with limited_threads(self._threads):
            return self._run.execute(arrays, state)

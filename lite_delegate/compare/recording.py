"""Recording: what goes into and comes out of every graph kernel in one prediction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lite_delegate_kernels import Array

from ..delegate import Kernel
from ..errors import DelegateExecuteError, LiteDelegateError
from ..runtime.execution.fallback import Guard
from ..runtime.execution.graph_call import GraphCall
from ..runtime.execution.plan import ExecutionPlan, Step, StepFunction
from ..runtime.execution.shadow import ShadowRun
from .part import Part, Wrap

CallKey = tuple[Kernel, int]
"""A graph kernel, and which run of it in the prediction, from 1."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One run of a graph kernel.

    Attributes:
        inputs: what it was handed, see ``Guard.run_on_cpu``.
        outputs: what it gave; None when it failed.
        error: why it failed or what else it did wrong, "" for nothing.
    """

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...] | None
    error: str = ""


@dataclass(slots=True)
class Recording:
    """One prediction.

    Attributes:
        calls: the runs of graph kernels that were kept, in execution order.
        counts: how often each graph kernel ran.
        outputs: of the model; None when the prediction stopped early.
        error: why it stopped.
    """

    calls: dict[CallKey, RecordedCall] = field(default_factory=dict)
    counts: Counter[Kernel] = field(default_factory=Counter)
    outputs: list[Array] | None = None
    error: str = ""


def _as_it_is(kernel: Kernel) -> Wrap | None:
    return None


class Recorder:
    """Runs predictions of a plan and records them.

    Args:
        plan: the plan; its guards have stand-ins.
        max_calls: how many runs of each graph kernel are kept; later ones are only counted.
    """

    def __init__(self, plan: ExecutionPlan, max_calls: int) -> None:
        self._plan = plan
        self._max_calls = max_calls

    def reference(self, arrays: Sequence[Array], wrap_of: Callable[[Kernel], Wrap | None] = _as_it_is) -> Recording:
        """The prediction on the reference kernels; on the delegate where the CPU has none for a subgraph.

        Args:
            arrays: the model's inputs.
            wrap_of: what becomes of the reference kernels' functions in the subgraph of a graph kernel.

        Raises:
            KernelError: a CPU kernel failed.
            DelegateExecuteError: a graph kernel that the CPU cannot run failed.
        """
        recording = Recording()
        parts: dict[Kernel, Callable[..., tuple[Array, ...]]] = {}

        def run(step: Step, given: Sequence[Array]) -> RecordedCall:
            if step.kernel not in parts:
                parts[step.kernel] = self._on_cpu(step, wrap_of(step.kernel))
            return RecordedCall(tuple(given), parts[step.kernel](*given))

        recording.outputs = ShadowRun(self._plan, self._recorded(recording, run)).execute(arrays)
        return recording

    def delegate(self, arrays: Sequence[Array]) -> Recording:
        """The prediction on the delegate. Where a graph kernel fails, the reference kernels' results go on."""
        recording = Recording()
        calls: dict[Kernel, GraphCall] = {}

        def run(step: Step, given: Sequence[Array]) -> RecordedCall:
            if step.kernel not in calls:
                calls[step.kernel] = GraphCall(step, Guard(step.kernel, None), repeats=True)
            return watched(calls[step.kernel], given)

        try:
            recording.outputs = ShadowRun(self._plan, self._recorded(recording, run)).execute(arrays)
        except LiteDelegateError as e:  # wrong numbers can make a CPU kernel behind them fail
            recording.error = str(e)
        return recording

    def _recorded(
        self, recording: Recording, run: Callable[[Step, Sequence[Array]], RecordedCall]
    ) -> Callable[[Step], StepFunction]:
        def function_of(step: Step) -> StepFunction:
            def function(*given: Array) -> tuple[Array, ...]:
                recording.counts[step.kernel] += 1
                call = run(step, given)
                number = recording.counts[step.kernel]
                if number <= self._max_calls:
                    recording.calls[step.kernel, number] = call
                if call.outputs is None:
                    return self._on_cpu(step, None)(*call.inputs)
                return tuple(array.copy() for array in call.outputs)  # what reads them may write to them

            return function

        return function_of

    def _on_cpu(self, step: Step, wrap: Wrap | None) -> Callable[..., tuple[Array, ...]]:
        stand_in = self._plan.guards[step.kernel].stand_in
        if stand_in is None or stand_in.obstacle:
            return GraphCall(step, Guard(step.kernel, None), repeats=True)
        part = Part(stand_in.kernels, stand_in.inputs, stand_in.outputs, wrap)
        return lambda *arrays: part.run(arrays)


def watched(call: Callable[..., tuple[Array, ...]], given: Sequence[Array]) -> RecordedCall:
    """A run of a graph kernel, and whether it left its inputs alone. What is kept are copies, as they were handed and
    given: a graph kernel behind it may write to the same arrays.
    """
    before = tuple(array.copy() for array in given)
    try:
        outputs: tuple[Array, ...] | None = call(*given)
        error = ""
    except DelegateExecuteError as e:
        outputs, error = None, str(e)
    for i, (array, was) in enumerate(zip(given, before, strict=True)):
        if array.tobytes() != was.tobytes():
            error = error or f"it wrote to its input {i}"
    return RecordedCall(before, outputs, error)

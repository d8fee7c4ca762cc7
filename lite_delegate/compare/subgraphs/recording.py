"""Recording: the inputs and outputs of every graph kernel in one prediction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field

from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ...basics.failures import Told
from ...delegate import Kernel
from ...errors import DelegateExecuteError, LiteDelegateError
from ...inference import CompiledModel
from ...runtime.execution.plan import StepFunction
from .stretch import KernelStretch, Wrap

CallKey = tuple[Kernel, int]
"""A graph kernel, and which run of it in the prediction, from 1."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One run of a graph kernel.

    Attributes:
        inputs: the inputs of the graph kernel, see ``StandIn.inputs``.
        outputs: the outputs of the graph kernel; None when it failed.
        error: why it failed, with the traceback, or what else it did wrong; "" for nothing.
    """

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...] | None
    error: str = ""


@dataclass(slots=True)
class Recording:
    """One prediction.

    Attributes:
        calls: the runs of graph kernels that were kept, in execution order.
        counts: the number of runs of each graph kernel.
        outputs: the outputs of the model; None when the prediction stopped early.
        error: why the prediction stopped.
    """

    calls: dict[CallKey, RecordedCall] = field(default_factory=dict)
    counts: Counter[Kernel] = field(default_factory=Counter)
    outputs: list[Array] | None = None
    error: str = ""


def _as_it_is(kernel: Kernel) -> Wrap | None:
    return None


class CallRecorder:
    """Runs predictions of a model and records them.

    Args:
        compiled: the model; CPU kernels can stand in for its graph kernels.
        max_calls: how many runs of each graph kernel are kept; later ones are only counted.
    """

    def __init__(self, compiled: CompiledModel, max_calls: int) -> None:
        self._compiled = compiled
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

        def instead(kernel: Kernel, on_device: StepFunction) -> StepFunction:
            on_cpu = self._on_cpu(kernel, on_device, wrap_of(kernel))
            return self._recorded(recording, kernel, lambda given: RecordedCall(tuple(given), on_cpu(*given)), on_cpu)

        recording.outputs = list(self._compiled.create_infer_request(instead).infer(arrays))
        return recording

    def delegate(self, arrays: Sequence[Array]) -> Recording:
        """The prediction on the delegate. Where a graph kernel fails, the reference kernels' results go on."""
        recording = Recording()

        def instead(kernel: Kernel, on_device: StepFunction) -> StepFunction:
            on_cpu = self._on_cpu(kernel, on_device, None)
            return self._recorded(recording, kernel, lambda given: watched(on_device, given), on_cpu)

        try:
            recording.outputs = list(self._compiled.create_infer_request(instead).infer(arrays))
        except LiteDelegateError as e:  # wrong numbers can make a CPU kernel behind them fail
            recording.error = str(e)
        return recording

    def _recorded(
        self,
        recording: Recording,
        kernel: Kernel,
        run: Callable[[Sequence[Array]], RecordedCall],
        on_cpu: StepFunction,
    ) -> StepFunction:
        """The function of a graph kernel's step, which records it; ``on_cpu`` gives what the graph kernel fails to."""

        def function(*given: Array) -> tuple[Array, ...]:
            recording.counts[kernel] += 1
            call = run(given)
            number = recording.counts[kernel]
            if number <= self._max_calls:
                recording.calls[kernel, number] = call
            if call.outputs is None:
                outputs: tuple[Array, ...] = on_cpu(*call.inputs)
                return outputs
            return tuple(array.copy() for array in call.outputs)  # the readers of the arrays may write to them

        return function

    def _on_cpu(self, kernel: Kernel, on_device: StepFunction, wrap: Wrap | None) -> StepFunction:
        stand_in = self._compiled.plan.stand_ins.get(kernel)
        if stand_in is None or stand_in.obstacle:
            return on_device
        part = KernelStretch(stand_in.kernels, stand_in.inputs, stand_in.outputs, wrap)
        return lambda *arrays: part.run(arrays)


def watched(call: Callable[..., tuple[Array, ...]], given: Sequence[Array]) -> RecordedCall:
    """A run of a graph kernel, and whether it left its inputs unchanged. Copies of inputs and outputs are kept, because
    a later graph kernel may write to the same arrays.
    """
    before = tuple(array.copy() for array in given)
    try:
        outputs: tuple[Array, ...] | None = call(*given)
        error = ""
    except DelegateExecuteError as e:
        outputs, error = None, Told(str(e), e)
    for i, (array, was) in enumerate(zip(given, before, strict=True)):
        if array.tobytes() != was.tobytes():
            error = error or Told(f"it wrote to its input {i}")
    return RecordedCall(before, outputs, error)

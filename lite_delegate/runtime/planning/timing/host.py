"""Times of a model's CPU kernels: measured, with random inputs."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence

import numpy as np
from lite_delegate_kernels import Array

from ....delegate import Kernel, SpanKind, recording
from ....errors import InputError
from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph
from ...binding.host_kernel import HostKernel
from ...execution.fallback import Fallbacks
from ...execution.plan import ExecutionPlan, plan_graph
from ...execution.random_inputs import not_random, random_array
from ...execution.run import Run
from ...execution.threads import limited_threads
from ...records.records import PartitionRecord

ClockFunction = Callable[[], int]
"""Gives nanoseconds since some start; never less than before."""
CLOCK: ClockFunction = time.perf_counter_ns
WARMUPS = 1
SEED = 0


def measure_host(
    graphs: Sequence[BoundGraph], state: Sequence[Array], threads: int, runs: int, clock: ClockFunction = CLOCK
) -> dict[str, float]:
    """Microseconds of each kernel on the CPU, by name: the median over predictions with the same random inputs.

    The time of a kernel in a loop is the sum over its runs in a prediction; the time of a kernel that never runs is 0.

    Args:
        graphs: the model, the main graph first.
        state: the first contents of its variables.
        threads: the number that a kernel may use; 0: as many as the math library takes.
        runs: the number of predictions that are measured, after an unmeasured one.
        clock: gives nanoseconds.

    Raises:
        InputError: the CPU cannot run the model, or the model has an input without random contents.
        KernelError: a kernel does not take random inputs.
    """
    kernels = [k for g in graphs for k in g.kernels]
    missing = [k for k in kernels if k.function is None]
    if missing:
        raise InputError(
            f"The CPU has no kernel for '{missing[0].name}' ({missing[0].type}), so the times of the other "
            "kernels cannot be measured. Placement by gain needs a model that the CPU can run; use placement 'count'."
        )
    plan = _cpu_plan(graphs, state)
    execution = Run(plan, Fallbacks(plan))
    inputs = random_inputs(graphs[0].inputs)
    found: dict[str, list[int]] = {k.name: [] for k in kernels if not isinstance(k, HostKernel)}
    for number in range(WARMUPS + runs):
        watch = Stopwatch(clock)
        with recording(watch), limited_threads(threads):
            execution.execute(inputs)
        if number >= WARMUPS:
            for name, times in found.items():
                times.append(watch.times.get(name, 0))
    from statistics import median  # loads decimal and random: not with every import of ours

    return {name: median(times) / 1e3 for name, times in found.items()}


def random_inputs(tensors: Sequence[Tensor], seed: int = SEED) -> list[Array]:
    """Arrays that any model takes: real numbers in [0, 1), integers 0 or 1; unknown dimensions become 1.

    Raises:
        InputError: a tensor of strings, or of unknown rank.
    """
    for tensor in tensors:
        if what := not_random(tensor):
            raise InputError(f"Input '{tensor.name}' {what}: no random contents for it, so nothing can be measured.")
    rng = np.random.default_rng(seed)
    return [random_array(tensor, rng) for tensor in tensors]


class Stopwatch:
    """A ``SpanRecorder`` that adds up the time of each kernel.

    Args:
        clock: gives nanoseconds.
        kinds: the kinds of the spans that count.

    Attributes:
        times: nanoseconds by the kernel's name.
    """

    def __init__(self, clock: ClockFunction, kinds: Collection[SpanKind] = (SpanKind.CPU_KERNEL,)) -> None:
        self._clock = clock
        self._kinds = kinds
        self._open: list[tuple[str, int]] = []
        self.times: dict[str, int] = {}

    def begin(self, kind: SpanKind, name: str, kernel: Kernel | None) -> None:
        """A span begins."""
        self._open.append((name if kind in self._kinds else "", self._clock()))

    def end(self) -> None:
        """The innermost span ends."""
        now = self._clock()
        name, start = self._open.pop()
        if name:
            self.times[name] = self.times.get(name, 0) + now - start


def _cpu_plan(graphs: Sequence[BoundGraph], state: Sequence[Array]) -> ExecutionPlan:
    return ExecutionPlan(
        inputs=graphs[0].inputs,
        outputs=graphs[0].outputs,
        graphs={g.index: plan_graph(g, g.kernels) for g in graphs},
        state=tuple(state),
        record=PartitionRecord(None, (), (), (), 0, ()),
        graph_kernels={},
        stand_ins={},
    )

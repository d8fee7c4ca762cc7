"""ProfilingInfo: the time of a run in three entries, then the times of steps and kernels that count performance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ...delegate import Kernel, LayerEstimate, LayerTime
from ...runtime.records.records import CPU
from .profile import RequestProfile
from .simulated_profile import SimulatedProfile
from .stages import Stage

ENTRIES = (
    ("input preprocessing", (Stage.PREPROCESS,)),
    ("execution time", (Stage.TURN, Stage.UPLOAD, Stage.COMPUTE, Stage.CPU, Stage.DOWNLOAD)),
    ("output postprocessing", (Stage.POSTPROCESS,)),
)
"""The names of the entries, and the stages of each. The wait for a worker is in no entry."""


@dataclass(frozen=True, slots=True)
class ProfilingInfo(Brief):
    """An entry of ``InferRequest.get_profiling_info``.

    Attributes:
        node_name: of the entry; ``GRAPH_KERNEL: STEP`` for a step of a graph kernel, the plain name for a CPU kernel.
        status: "executed"; "not run" for an entry behind the failure of a run, for a layer that was optimized away, and
            for a nominal step of the simulated NPU (a view), which moves and computes no data.
        real_us: the microseconds of the entry, with their fraction.
        cpu_us: the microseconds of the computing thread's CPU clock; None in runs of less than 1 ms, and for layers
            whose backend does not measure CPU time.
        node_type: "stage", or the device's word for the step.
        exec_type: "host", "CPU", the type of the graph kernel, or the backend's word for the implementation.
        is_estimate: whether the times are the delegate's estimates of its device, and not measured.
        cycles: the cycles that a device, or its emulator, counted, or a delegate estimates; None where nothing counts
            them.
    """

    node_name: str
    status: str
    real_us: float
    cpu_us: float | None
    node_type: str
    exec_type: str
    is_estimate: bool = False
    cycles: int | None = None

    @property
    def real_time(self) -> timedelta:
        """``real_us`` as OpenVINO has it, in whole microseconds: 0 for a small layer."""
        return timedelta(microseconds=self.real_us)

    @property
    def cpu_time(self) -> timedelta | None:
        """``cpu_us`` in whole microseconds."""
        return None if self.cpu_us is None else timedelta(microseconds=self.cpu_us)


def profiling_infos(
    profile: RequestProfile, cpu_ns: Sequence[int | None], kernels: Iterable[Kernel]
) -> list[ProfilingInfo]:
    """The three entries, then counted steps of graph kernels, measured layers, and counted CPU kernels.

    Args:
        profile: of the run.
        cpu_ns: readings of the thread's CPU clock, at the start of the run and at the end of each entry; None for a
            reading that was not taken.
        kernels: the graph kernels of the model.
    """
    infos = []
    for number, (name, stages) in enumerate(ENTRIES):
        real_ns = sum(profile.stages.get(stage, 0) for stage in stages)
        was_run = number + 1 < len(cpu_ns)
        begin, end = cpu_ns[number : number + 2] if was_run else (0, 0)
        used = None if begin is None or end is None else (end - begin) / 1000
        infos.append(ProfilingInfo(name, _status(was_run=was_run), real_ns / 1000, used, "stage", "host"))
    for kernel in kernels:
        infos += _nodes(kernel, profile.simulated)
        infos += [_layer(kernel, each) for each in profile.layers.get(kernel.name, ())]
    infos += [_cpu_kernel(each) for each in profile.layers.get(CPU, ())]
    return infos


def _nodes(kernel: Kernel, simulated: SimulatedProfile | None) -> list[ProfilingInfo]:
    estimate = kernel.estimate() if kernel.counts_performance else None
    if estimate is None:
        return []
    nodes = [_step(kernel, layer) for layer in estimate.layers]
    if estimate.input_wait_us is None:
        return nodes
    runs = () if simulated is None else [run for run in simulated.runs if run.kernel == kernel.name]
    waited_us = sum(run.input_wait_us for run in runs) if runs else estimate.input_wait_us
    return [_step(kernel, LayerEstimate("waiting for input", "Wait", (), waited_us)), *nodes]


def _step(kernel: Kernel, step: LayerEstimate) -> ProfilingInfo:
    return ProfilingInfo(
        node_name=f"{kernel.name}: {step.name}",
        status=_status(was_run=step.was_run),
        real_us=step.estimated_us,
        cpu_us=0.0,
        node_type=step.instruction,
        exec_type=kernel.type,
        is_estimate=True,
        cycles=step.estimated_cycles or None,
    )


def _layer(kernel: Kernel, layer: LayerTime) -> ProfilingInfo:
    return ProfilingInfo(
        node_name=f"{kernel.name}: {layer.name}",
        status=_status(was_run=layer.was_run),
        real_us=layer.real_us,
        cpu_us=layer.cpu_us,
        node_type=layer.type,
        exec_type=layer.implementation or kernel.type,
        cycles=layer.cycles,
    )


def _cpu_kernel(kernel: LayerTime) -> ProfilingInfo:
    return ProfilingInfo(kernel.name, _status(was_run=True), kernel.real_us, kernel.cpu_us, kernel.type, CPU)


def _status(*, was_run: bool) -> str:
    return "executed" if was_run else "not run"

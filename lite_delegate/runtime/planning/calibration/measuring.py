"""Measured times of the kernels that a delegate claims, on graph kernels of different sizes on its device.

The time of a single kernel on a device cannot be measured without the start and the transfers. So the runs are measured
whole, cut in halves, in quarters, ... and in single kernels, each piece p as a graph kernel of its own:

    T(p) = launch + bytes(p) / speed + sum of d(k) over the kernels k of p

``launch``, ``1 / speed`` and every ``d(k)`` are the numbers, none below 0, that explain all T(p) best: least squares of
the relative errors. The time that a device saves by fusing kernels is spread over the kernels of the piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....basics.data_class import dataclass
from ....basics.unforeseen import FAILURES
from ....delegate import Delegate, Kernel
from ....delegate.calls import calls
from ....delegate.model import view_of
from ....errors import InputError
from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph
from ...binding.host_kernel import HostKernel
from ...binding.node_kernel import NodeKernel
from ...drafting.draft import GraphDraft
from ..building.plan_kernels import PlanKernels
from ..timing.device import DeviceTimes
from ..timing.host import CLOCK, WARMUPS, ClockFunction, random_inputs

FEWEST = 3
"""Kernels below which launch and transfers cannot be told from the kernels: they count as part of these."""
_MEGA = 1e6


@dataclass(frozen=True, slots=True)
class _Piece:
    """A graph kernel that was measured: its kernels, the bytes at its boundary, microseconds."""

    kernels: tuple[str, ...]
    nbytes: int
    us: float


def measure_device(
    delegate: Delegate,
    graph: BoundGraph,
    model: GraphDraft,
    tensors: Sequence[Tensor],
    runs: int,
    clock: ClockFunction = CLOCK,
) -> DeviceTimes:
    """The times of the kernels in the planned runs of a model.

    Args:
        delegate: makes the graph kernels.
        graph: the model, which calls no subgraphs.
        model: its kernels in order, with the runs.
        tensors: all that may cross a boundary.
        runs: calls of each graph kernel that are measured, after an unmeasured one; their median counts.
        clock: gives nanoseconds.

    Raises:
        InputError: no graph kernel could be made.
        Exception: any error that a graph kernel raises when it runs.
    """
    contents = contents_of(graph)
    pieces: dict[tuple[str, ...], _Piece] = {}
    failed: dict[Kernel, Exception] = {}
    for cut in _cuts(model):
        for piece in _measured(delegate, cut, contents, runs, clock):
            pieces.setdefault(piece.kernels, piece)
        failed = cut.failures
    if not pieces:
        raise InputError(
            f"Delegate '{delegate.name}': no graph kernel could be made, so nothing can be measured: "
            f"{next(iter(failed.values()), 'it claims nothing')}."
        )
    device_us, launch_us, us_per_byte = explained(list(pieces.values()))
    device_us |= {kernel.name: 0.0 for kernel in failed if kernel.name not in device_us}
    return DeviceTimes(device_us, {t: us_per_byte * t.data_size for t in tensors}, launch_us)


def contents_of(graph: BoundGraph) -> dict[Tensor, Any]:
    """The contents of every tensor of a graph when the CPU kernels run on random inputs."""
    return computed(graph.kernels, dict(zip(graph.inputs, random_inputs(graph.inputs), strict=True)))


def computed(kernels: Iterable[NodeKernel], given: Mapping[Tensor, Any]) -> dict[Tensor, Any]:
    """The given contents of tensors, and the contents that the CPU kernels compute from them, one after the other."""
    contents = dict(given)
    with np.errstate(all="ignore"):
        for kernel in kernels:
            assert kernel.function is not None
            arrays = [None if t is None else _array(t, contents) for t in kernel.operands]
            result = kernel.function(*arrays)
            written = (*kernel.outputs, *kernel.assigned) if isinstance(kernel, HostKernel) else kernel.outputs
            contents.update(zip(written, result if type(result) is tuple else (result,), strict=False))
    return contents


def _array(tensor: Tensor, contents: Mapping[Tensor, Any]) -> Any:
    return tensor.data if tensor.is_const else contents[tensor]


def explained(pieces: Sequence[_Piece]) -> tuple[dict[str, float], float, float]:
    """Microseconds of each kernel, of a launch and of a byte, that explain the pieces best."""
    names = list(dict.fromkeys(name for piece in pieces for name in piece.kernels))
    column = {name: i for i, name in enumerate(names)}
    matrix = np.zeros((len(pieces), len(names) + 2))
    for row, piece in enumerate(pieces):
        matrix[row, [column[name] for name in piece.kernels]] = 1
        matrix[row, -2:] = 1, piece.nbytes / _MEGA
    if len(names) < FEWEST:
        matrix[:, -2:] = 0
    times = np.array([piece.us for piece in pieces])
    weights = 1 / np.maximum(times, 1e-3)
    found = _least_squares(matrix * weights[:, None], times * weights)
    return dict(zip(names, map(float, found), strict=False)), float(found[-2]), float(found[-1]) / _MEGA


def _least_squares(matrix: Any, wanted: Any) -> Any:
    """The solution without negative numbers: negative unknowns are set to 0 and the remaining system is solved anew."""
    used = np.flatnonzero(matrix.any(axis=0))
    solution = np.zeros(matrix.shape[1])
    while used.size:
        part = np.linalg.lstsq(matrix[:, used], wanted, rcond=None)[0]
        if (part >= 0).all():
            solution[used] = part
            break
        used = used[part >= 0]
    return solution


def _cuts(model: GraphDraft) -> Iterator[GraphDraft]:
    """The model with its runs whole, halved, ..., in single kernels."""
    kernels, spans = list(model), [model.order.span(run) for run in model.runs]
    size = max((stop - start for start, stop in spans), default=0)
    while size:
        runs = [range(first, min(first + size, stop)) for start, stop in spans for first in range(start, stop, size)]
        yield GraphDraft(kernels, model.inputs, model.outputs, runs, variables=model.variables)
        size = 0 if size == 1 else -(-size // 2)


def _measured(
    delegate: Delegate, model: GraphDraft, contents: Mapping[Tensor, Any], runs: int, clock: ClockFunction
) -> Iterator[_Piece]:
    """Times of the graph kernels that the delegate makes of the model's runs; each is given up afterwards."""
    try:
        calls.build(delegate, view_of(model))
    except FAILURES as e:  # a delegate's own code may raise anything
        for run in model.remaining:
            model.mark_failed(run, e)
    made = PlanKernels()
    for kernel, nodes in model.replaced.items():
        boundary = model.boundary_of([kernel])
        try:
            made.prepare(kernel)
        except FAILURES as e:
            model.restore(kernel, e)
            continue
        try:
            us = _timed(kernel, contents, runs, clock)
        finally:
            made.give_up([kernel])
        yield _Piece(tuple(node.name for node in nodes), boundary.nbytes, us)


def call_ns(kernel: Kernel, contents: Mapping[Tensor, Any], clock: ClockFunction) -> int:
    """Nanoseconds of one call of a graph kernel on these contents of its inputs."""
    variable = [t for t in kernel.inputs if not t.is_const]
    try:
        for tensor in variable:
            tensor.bind(contents[tensor])
        for tensor in kernel.outputs:
            tensor.bind(None)
        start = clock()
        kernel.execute()
        return clock() - start
    finally:
        for tensor in (*variable, *kernel.outputs):
            tensor.bind(None)


def _timed(kernel: Kernel, contents: Mapping[Tensor, Any], runs: int, clock: ClockFunction) -> float:
    """Microseconds of one call, the median of several."""
    times = [call_ns(kernel, contents, clock) for _ in range(WARMUPS + runs)]
    from statistics import median  # loads decimal and random: not with every import of ours

    return median(times[WARMUPS:]) / 1e3

"""Times of the kernels that a delegate claims, on its device: as the delegate estimates it for whole runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field

from ....basics.data_class import dataclass
from ....basics.unforeseen import FAILURES
from ....delegate import Delegate, DeviceEstimate, Kernel
from ....delegate.calls import calls
from ....delegate.model import view_of
from ....errors import InputError
from ....ir.types.data_type import has_numpy
from ....partition.placement.kernel_times import LONGEST_US
from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph
from ...drafting.draft import GraphDraft

ADVICE = "Measure it: 'lite-delegate calibrate', then give the file with --times (Context.kernel_times)."


@dataclass(frozen=True, slots=True, eq=False)
class DeviceTimes:
    """Microseconds on a device.

    Attributes:
        device_us: of kernels, by name.
        transfer_us: of tensors, to the device or back.
        launch_us: to start a subgraph.
    """

    device_us: dict[str, float] = field(default_factory=dict)
    transfer_us: dict[Tensor, float] = field(default_factory=dict)
    launch_us: float = 0.0


def estimate_device(delegate: Delegate, models: Sequence[GraphDraft], tensors: Sequence[Tensor]) -> DeviceTimes:
    """The delegate's estimates for the planned runs of models, shared out among their kernels.

    Runs are built and not prepared, so nothing has to be released. Several nodes of one step share its time in equal
    parts; a node without a step takes no time, it became part of other nodes. Steps that run side by side count each,
    so all times are scaled: together with transfers and start they add up to the estimate of the whole run. Kernels
    whose runs cannot be made take no time here: the build of the plan decides on them.

    Args:
        delegate: the delegate that estimates.
        models: the graphs of a model with their runs, all of which the delegate gets. The graphs are used up.
        tensors: all tensors that may cross a boundary.

    Raises:
        InputError: the delegate gives no estimates.
    """
    found, launches = DeviceTimes(), [0.0]
    for model in models:
        standing = set(model.replaced)
        found.device_us.update((k.name, 0.0) for run in model.runs for k in run)
        with suppress(Exception):  # a delegate's own code may raise anything; building for good reports it
            calls.build(delegate, view_of(model))
        for kernel, nodes in model.replaced.items():
            if kernel not in standing:
                estimate = _estimate(delegate, kernel)
                launches.append(estimate.launch_us)
                _share(estimate, kernel, nodes, found)
    for tensor in tensors:
        if tensor not in found.transfer_us:
            found.transfer_us[tensor] = _transfer(delegate, tensor)
    times = DeviceTimes(found.device_us, found.transfer_us, max(launches))
    _check(delegate, times)
    return times


def estimates_of(
    delegate: Delegate, replaced: Mapping[Kernel, Sequence[Kernel]], tensors: Sequence[Tensor]
) -> DeviceTimes | None:
    """The delegate's estimates for graph kernels that it made, shared out as in ``estimate_device``.

    Args:
        delegate: the delegate that estimates.
        replaced: its graph kernels, with the nodes that each stands for.
        tensors: all tensors that may cross a boundary.

    Returns:
        None where the delegate gives no estimates, or estimates that are no times.
    """
    found, launches = DeviceTimes(), [0.0]
    try:
        for kernel, nodes in replaced.items():
            estimate = _estimate(delegate, kernel)
            launches.append(estimate.launch_us)
            _share(estimate, kernel, nodes, found)
        found.transfer_us.update((t, _transfer(delegate, t)) for t in tensors if t not in found.transfer_us)
        times = DeviceTimes(found.device_us, found.transfer_us, max(launches))
        _check(delegate, times)
    except InputError:
        return None
    return times


def _estimate(delegate: Delegate, kernel: Kernel) -> DeviceEstimate:
    try:
        estimate = kernel.estimate()
    except FAILURES as e:  # a delegate's own code may raise anything
        raise InputError(f"Delegate '{delegate.name}': estimating '{kernel.name}' failed: {e}. {ADVICE}") from e
    if estimate is None or (_inside_us(estimate) > 0 and not any(layer.layers for layer in estimate.layers)):
        raise InputError(
            f"Delegate '{delegate.name}' does not estimate the times of its kernels, so placement by gain has no times "
            f"for them. {ADVICE}"
        )
    return estimate


def _transfer(delegate: Delegate, tensor: Tensor) -> float:
    """The time that a tensor takes to cross; nothing where its size is not known before it is there."""
    try:
        us = delegate.estimate_transfer(tensor)
    except FAILURES as e:  # a delegate's own code may raise anything
        raise InputError(f"Delegate '{delegate.name}': estimating a transfer failed: {e}. {ADVICE}") from e
    if us is None and tensor.has_known_shape and has_numpy(tensor.dtype):
        raise InputError(
            f"Delegate '{delegate.name}' does not estimate the times of transfers (Delegate.estimate_transfer), so "
            f"placement by gain has no times for them. {ADVICE}"
        )
    return 0.0 if us is None else us


def _share(estimate: DeviceEstimate, kernel: Kernel, nodes: Sequence[Kernel], found: DeviceTimes) -> None:
    """Adds the estimate of a graph kernel to the times of its nodes and of the tensors at its boundary."""
    parts = dict.fromkeys((node.name for node in nodes), 0.0)
    for layer in estimate.layers:
        names = [name for name in layer.layers if name in parts]
        for name in names:
            parts[name] += layer.estimated_us / len(names)
    together = sum(parts.values())
    scale = _inside_us(estimate) / together if together else 0.0
    found.device_us.update({name: us * scale for name, us in parts.items()})
    for tensors, times in ((kernel.inputs, estimate.input_us), (kernel.outputs, estimate.output_us)):
        if len(times) == len(tensors):
            found.transfer_us.update(zip(tensors, times, strict=True))


def _inside_us(estimate: DeviceEstimate) -> float:
    """The estimate for a graph kernel without start and transfers; 0 where that is a rounding error."""
    outside = estimate.launch_us + sum(estimate.input_us) + sum(estimate.output_us)
    inside = estimate.estimated_us - outside
    return 0.0 if inside < outside * 1e-9 else inside


def _check(delegate: Delegate, times: DeviceTimes) -> None:
    """Raises InputError unless all times are numbers from 0 to ``LONGEST_US``."""
    for us in (times.launch_us, *times.device_us.values(), *times.transfer_us.values()):
        if not 0 <= us <= LONGEST_US:
            raise InputError(f"Delegate '{delegate.name}' estimates that something takes {us} us. {ADVICE}")


def tensors_of(graphs: Sequence[BoundGraph]) -> list[Tensor]:
    """All tensors of a model that may cross a boundary."""
    read = (t for g in graphs for k in g.kernels for t in (*k.inputs, *k.outputs) if not t.is_const)
    return list(dict.fromkeys(t for t in (*(t for g in graphs for t in g.inputs), *read)))

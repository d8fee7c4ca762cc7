"""Calibration: the kernel times of a model, to be stored and used again."""

from __future__ import annotations

from collections.abc import Sequence

from lite_delegate_kernels import Array

from ....delegate import Delegate, RejectCode, Rejected, Supported
from ....errors import DelegateUnavailable, InputError
from ....partition import PartitionOptions
from ....partition.placement import ESTIMATE, MEASURED, KernelTimes
from ...binding.bind import BoundGraph
from ...binding.host_kernel import HostKernel
from ...execution.threads import limited_threads
from ...lifetimes.session import open_session
from ...settings import Settings
from ..claims.claims import Claims, ask
from ..claims.partitioning import plan_partition
from ..timing.device import DeviceTimes, estimate_device, tensors_of
from ..timing.host import CLOCK, ClockFunction, measure_host
from ..timing.identity import times_key
from ..timing.tensors import tensor_keys
from .measuring import measure_device


def calibrate(
    graphs: Sequence[BoundGraph],
    state: Sequence[Array],
    settings: Settings,
    runs: int,
    warnings: list[str],
    clock: ClockFunction = CLOCK,
) -> KernelTimes:
    """The times of all kernels on the CPU, and of the claimed kernels on the delegate's device.

    The times on the CPU and on a real device are measured; the times on a simulated device are the estimates of its
    delegate.

    Args:
        graphs: the model, the main graph first.
        state: the first contents of its variables.
        settings: the delegate, and the threads of the CPU.
        runs: the number of measured runs; their median counts.
        warnings: gets the warnings for the user.
        clock: gives nanoseconds.

    Raises:
        InputError: not exactly one delegate; the CPU cannot run the model, the device cannot be measured, or the
            delegate does not estimate.
        DelegateUnavailable: the device is not there.
    """
    if len(settings.delegates) != 1:
        raise InputError(f"Calibration needs one delegate, the context has {len(settings.delegates)}.")
    delegate, threads = settings.delegates[0], settings.threads
    host_us = measure_host(graphs, state, threads, runs, clock)
    session = open_session([delegate])
    try:
        for error in (*session.absent.values(), *session.off_device.values()):
            raise DelegateUnavailable(f"Delegate '{delegate.name}': calibration needs its device: {error}") from error
        with limited_threads(threads):
            device = _device(delegate, graphs, runs, warnings, clock)
    finally:
        session.let_go()
    keys = tensor_keys(graphs)
    source = ESTIMATE if delegate.is_simulated else MEASURED
    return KernelTimes(
        key=times_key(graphs, delegate, threads),
        host_us=host_us,
        device_us=device.device_us,
        transfer_us={keys[t]: us for t, us in device.transfer_us.items() if t in keys},
        launch_us=device.launch_us,
        device_source=source,
        transfer_source=source,
    )


def _device(
    delegate: Delegate, graphs: Sequence[BoundGraph], runs: int, warnings: list[str], clock: ClockFunction
) -> DeviceTimes:
    claims: Claims = ask(delegate, [k for g in graphs for k in g.kernels if not isinstance(k, HostKernel)], warnings)
    if not any(isinstance(claim, Supported) for claim in claims.values()):
        raise InputError(f"Delegate '{delegate.name}' claims no kernel of the model, so there is nothing to calibrate.")
    if any(claim is None for claim in claims.values()):
        raise InputError(
            f"Delegate '{delegate.name}' does not state its claims (Delegate.supports), which calibration needs."
        )
    for kernel in (k for g in graphs for k in g.kernels if isinstance(k, HostKernel)):
        claims[kernel] = Rejected(RejectCode.OPERATOR, kernel.reason)
    models = [plan_partition(g, claims, PartitionOptions()).draft for g in graphs]
    tensors = tensors_of(graphs)
    if delegate.is_simulated:
        return estimate_device(delegate, models, tensors)
    if len(graphs) > 1:
        raise InputError("A model that calls subgraphs cannot be measured on a device kernel by kernel.")
    return measure_device(delegate, graphs[0], models[0], tensors, runs, clock)

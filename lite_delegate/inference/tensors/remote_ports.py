"""Remote tensors at the ports of a model: what a run reads where it is, and what it leaves on a device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ...errors import InputError, RemoteError
from ...remote import RemoteTensor
from ...remote.under_way import noted
from ...runtime.execution.plan import ExecutionPlan, Step
from ...tensors.tensor import Tensor
from .copies import Copy
from .port import Port

TO_HOST = "brought from the device, for a step that does not run on it"
TO_DEVICE = "brought to the device, from a step that does not run on it"


@dataclass(frozen=True, slots=True, eq=False)
class RemoteInput:
    """A remote tensor for an input, whose type and shape fit.

    Attributes:
        port: of the model.
        tensor: what is given.
    """

    port: Port
    tensor: RemoteTensor

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the tensor."""
        return tuple(self.tensor.shape)

    def brought(self, copies: list[Copy]) -> Array:
        """Its contents, brought to the host: for who runs a model without a request. Notes the copy in ``copies``."""
        return _to_host(self, copies)

    def read(self, plan: ExecutionPlan, copies: list[Copy]) -> Array:
        """Its contents for a run of a plan, whose graph kernels are told that they are on their device.

        Where a step that does not run there reads them, they are brought to the host. Notes that in ``copies``.

        Raises:
            RemoteError: the model does not run on the device; or the tensor was released.
            DeviceLost: its device was lost.
        """
        tensor, owner = self.tensor, self.tensor.context.memory.owner
        if tensor.context.memory.is_host:
            return _contiguous(self, copies)
        check_reached(tensor, plan, self.port)
        slot = plan.graphs[0].input_slots[self.port.index]
        if all(step.kernel.memory_owner is owner for step in _steps(plan) if slot in step.reads):
            return noted().add_input(tensor)
        return _to_host(self, copies)


def is_on_device(tensor: Tensor) -> bool:
    """Whether the host cannot write to a tensor, so that a device does."""
    return isinstance(tensor, RemoteTensor) and not tensor.context.memory.is_host


def remote_input(given: RemoteTensor, port: Port) -> RemoteInput:
    """A remote tensor for an input.

    Raises:
        InputError: another element type or shape.
        RemoteError, DeviceLost: see ``RemoteTensor.memory``.
    """
    check_fits(given, port)
    return RemoteInput(port, given)


def check_fits(given: RemoteTensor, port: Port) -> None:
    """Raises where a remote tensor cannot be read or written as a port: see ``remote_input``."""
    if given.dtype != port.dtype:
        raise InputError(
            f"{port.where}: expected {port.dtype.name}, got {given!r}; what is on a device is not converted."
        )
    misfit = port.misfit(tuple(given.shape))
    if misfit:
        raise InputError(f"{port.where}: {misfit}.")
    given.check_held()


def check_reached(tensor: RemoteTensor, plan: ExecutionPlan, port: Port) -> None:
    """Checks that a model runs on the device that a remote tensor is on.

    Raises:
        RemoteError: it does not.
    """
    memory = tensor.context.memory
    if memory.is_host:
        own = (step.function is not None or step.kernel in plan.cpu_groups for step in _steps(plan))
        is_reached = any(own) or not plan.graph_kernels
    else:
        is_reached = any(kernel.memory_owner is memory.owner for kernel in plan.graph_kernels)
    if not is_reached:
        raise RemoteError(
            f"{port.where}: {tensor!r} belongs to a context of another device than the model runs on, "
            f"{plan.record.delegate or 'CPU'}; make it with a context of that, from the same Core or delegate."
        )


def leave_on_devices(plan: ExecutionPlan, outputs: Sequence[tuple[Port, RemoteTensor]], copies: list[Copy]) -> None:
    """Tells the graph kernels of a run which outputs stay on their device.

    What another step makes, or reads, goes through the host. Notes that in ``copies``.

    Args:
        plan: of the run.
        outputs: those that are remote.
        copies: of the run.

    Raises:
        RemoteError: the model does not run on the device; or a tensor was released.
        DeviceLost: a device was lost.
    """
    for port, tensor in outputs:
        check_fits(tensor, port)
        if tensor.context.memory.is_host:
            continue
        check_reached(tensor, plan, port)
        owner, slot = tensor.context.memory.owner, plan.graphs[0].output_slots[port.index]
        made = [step for step in _steps(plan) if slot in step.writes]
        read = [step for step in _steps(plan) if slot in step.reads]
        if len(made) == 1 and all(step.kernel.memory_owner is owner for step in (*made, *read)):
            noted().add_output(owner, made[0].kernel.name, made[0].writes.index(slot))
            continue
        tensor.context.brought(tensor.nbytes)
        copies.append(Copy(port, tensor.nbytes, TO_DEVICE))


def with_remote(results: Sequence[Array], outputs: Sequence[tuple[Port, RemoteTensor]]) -> list[Array]:
    """What a run gave, as its caller sees it: outputs that went to a device are the tensors there."""
    seen: list[Any] = list(results)
    for port, tensor in outputs:
        seen[port.index] = tensor
    return seen


def _steps(plan: ExecutionPlan) -> Iterator[Step]:
    """The steps of the main graph, calls of subgraphs among them."""
    for segment in plan.graphs[0].segments:
        yield from segment.steps
        if segment.call is not None:
            yield segment.call


def _contiguous(given: RemoteInput, copies: list[Copy]) -> Array:
    array = given.tensor.memory
    if array.flags.c_contiguous:
        return array
    copies.append(Copy(given.port, array.nbytes, "not contiguous"))
    return np.ascontiguousarray(array)


def _to_host(given: RemoteInput, copies: list[Copy]) -> Array:
    array = np.empty(given.tensor.shape, given.tensor.memory.dtype)
    given.tensor.copy_to(array)
    if not given.tensor.context.memory.is_host:
        copies.append(Copy(given.port, array.nbytes, TO_HOST))
    return array

"""Remote tensors at the ports of a model: inputs that a run reads on a device, and outputs that stay on a device."""

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
    """A remote tensor for an input, with checked type and shape.

    Attributes:
        port: of the model.
        tensor: of the user.
    """

    port: Port
    tensor: RemoteTensor

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return tuple(self.tensor.shape)

    def brought(self, copies: list[Copy]) -> Array:
        """The contents on the host, for a run without a request. Notes the copy in ``copies``."""
        return _to_host(self, copies)

    def read(self, plan: ExecutionPlan, copies: list[Copy]) -> Array:
        """The contents for a run of a plan. Tells graph kernels of the device that the contents are in device memory.

        If a step outside of the device reads the input, the contents are copied to the host, with a note in ``copies``.

        Raises:
            RemoteError: the model does not run on the device; or the tensor was released.
            DeviceLost: the device of the tensor was lost.
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
    """Whether a tensor is in device memory that the host cannot write to."""
    return isinstance(tensor, RemoteTensor) and not tensor.context.memory.is_host


def remote_input(given: RemoteTensor, port: Port) -> RemoteInput:
    """A remote tensor for an input.

    Raises:
        InputError: the element type or the shape differs.
        RemoteError, DeviceLost: see ``RemoteTensor.memory``.
    """
    check_fits(given, port)
    return RemoteInput(port, given)


def check_fits(given: RemoteTensor, port: Port) -> None:
    """Checks that a remote tensor fits a port; raises as ``remote_input``."""
    if given.dtype != port.dtype:
        raise InputError(
            f"{port.where}: expected {port.dtype.name}, got {given!r}; what is on a device is not converted."
        )
    misfit = port.misfit(tuple(given.shape))
    if misfit:
        raise InputError(f"{port.where}: {misfit}.")
    given.check_held()


def check_reached(tensor: RemoteTensor, plan: ExecutionPlan, port: Port) -> None:
    """Checks that a model runs on the device of a remote tensor.

    Raises:
        RemoteError: the model runs on other devices.
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
    """Tells the graph kernels of a run the outputs that stay on their device.

    An output that another step makes or reads goes through the host, with a note in ``copies``.

    Args:
        plan: of the run.
        outputs: the remote outputs.
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
    """The results for the caller, with the remote tensors of outputs that stayed on a device."""
    seen: list[Any] = list(results)
    for port, tensor in outputs:
        seen[port.index] = tensor
    return seen


def _steps(plan: ExecutionPlan) -> Iterator[Step]:
    """The steps of the main graph, including calls of subgraphs."""
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

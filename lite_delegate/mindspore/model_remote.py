"""Predictions with tensors on a device: a request reads and writes the tensors on the device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..basics.warned import Warnings
from ..inference.tensors.given_inputs import Inputs, brought_arrays, checked_inputs, plain_arrays
from ..inference.tensors.port import Port
from ..inference.tensors.remote_ports import RemoteInput
from ..remote import RemoteTensor
from ..runtime.execution.inputs import check_outputs, fill_outputs
from ..tensors.tensor import Array, Tensor

if TYPE_CHECKING:
    from ..inference.model.compiled_model import CompiledModel


def any_remote(tensors: Sequence[Tensor] | None) -> bool:
    """Whether one of several tensors is on a device; False for an object that is no list of tensors."""
    return isinstance(tensors, (list, tuple)) and any(isinstance(each, RemoteTensor) for each in tensors)


def host_arrays(inputs: Inputs, ports: Sequence[Port]) -> list[Array] | None:
    """The arrays that ``Model.predict`` was given for the inputs; None where an input is on a device.

    Raises:
        TypeError, InputError: as ``checked_inputs`` with ``strict``.
    """
    arrays = plain_arrays(inputs, ports)
    if arrays is not None:
        return arrays
    found = checked_inputs(inputs, ports, strict=True)
    return None if any(isinstance(each, RemoteInput) for each in found) else brought_arrays(found)


def predict_on_devices(compiled: CompiledModel, inputs: Inputs, outputs: Sequence[Tensor] | None) -> list[Tensor]:
    """``Model.predict`` where inputs or outputs are on a device.

    Raises:
        RemoteError: the model does not run on the tensor's device; or a tensor was released.
        Exception: as ``Model.predict``.
    """
    check_outputs(outputs, compiled.plan.outputs)
    with Warnings() as said:
        results = compiled.infer_into(inputs, outputs or ())
        said += compiled.take_warnings()
    if outputs is not None:
        return list(outputs)
    return fill_outputs(list(results), compiled.plan.outputs, None)

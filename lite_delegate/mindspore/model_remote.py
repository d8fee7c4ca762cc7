"""Predictions with tensors that are on a device: by a request, which reads and writes them there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..basics.warned import Warnings
from ..remote import RemoteTensor
from ..runtime.execution.inputs import check_outputs, fill_outputs
from ..tensors.tensor import Array, Tensor

if TYPE_CHECKING:
    from ..inference.model.compiled_model import CompiledModel


def any_remote(tensors: Sequence[Tensor] | None) -> bool:
    """Whether one of several tensors is on a device; what is no list of tensors is told elsewhere."""
    return isinstance(tensors, (list, tuple)) and any(isinstance(each, RemoteTensor) for each in tensors)


def predict_on_devices(
    compiled: CompiledModel,
    inputs: Sequence[Tensor | Array] | Mapping[str, Tensor | Array],
    outputs: Sequence[Tensor] | None,
) -> list[Tensor]:
    """``Model.predict`` where inputs or outputs are on a device.

    Raises:
        RemoteError: the model does not run on that device; or a tensor was released.
        Exception: as ``Model.predict``.
    """
    check_outputs(outputs, compiled.plan.outputs)
    with Warnings() as said:
        results = compiled.infer_into(inputs, outputs or ())
        said += compiled.take_warnings()
    if outputs is not None:
        return list(outputs)
    return fill_outputs(list(results), compiled.plan.outputs, None)

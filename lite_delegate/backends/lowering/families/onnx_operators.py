"""ONNX's own operators that the schema has no number for: they are written as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....delegate import Kernel, RejectCode
from ....ir.custom import INPUTS, INTERNAL, custom_attributes, custom_type
from ....semantics.operands import required
from ....tensors.tensor import Tensor
from ..emitter import AttributeValue
from ..lowering import Lowering, wanted
from ..term import Lowered
from .reshaping import reshaped
from .results import as_model, given_dtype, given_shape

RENAMED = {"bilinear": "linear", "bicubic": "cubic"}
"""GridSample's modes, as releases before 20 have them."""


def lower_as_it_is(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The operator with the attributes that the file has."""
    return _written(kernel, lowering, attributes_of(kernel))


def lower_grid_sample(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The operator, whose modes have had other names."""
    found = dict(attributes_of(kernel))
    if "mode" in found:
        found["mode"] = RENAMED.get(str(found["mode"]), found["mode"])
    clamped = found.get("mode") == "cubic" and found.get("padding_mode") == "border"
    wanted(
        not clamped, RejectCode.ATTRIBUTE, "cubic samples beyond the border: ONNX Runtime clamps the place, not them"
    )
    return _written(kernel, lowering, found)


def lower_roi_align(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The operator, whose samples are counted: ONNX Runtime fails at regions without extent where they are not."""
    found = attributes_of(kernel)
    wanted(found.get("sampling_ratio", 0) > 0, RejectCode.ATTRIBUTE, "a number of samples must be given")
    return _written(kernel, lowering, found)


def lower_windows(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A plain or transposed convolution over any number of axes, or a convolution of images with window offsets."""
    return _written(kernel, lowering, windows_of(kernel))


def windows_of(kernel: Kernel) -> dict[str, AttributeValue]:
    """The attributes of a convolution, whose defaults are written down.

    Raises:
        NotLowered: pads are to be worked out.
    """
    found, rank = dict(attributes_of(kernel)), len(required(kernel, 0).shape) - 2
    given = found.pop("auto_pad", "NOTSET")
    wanted(given == "NOTSET", RejectCode.ATTRIBUTE, "pads must be given", f"auto_pad is {given}")
    wanted("output_shape" not in found, RejectCode.ATTRIBUTE, "pads must be given, not the output's shape")
    found.setdefault("kernel_shape", tuple(required(kernel, 1).shape[2:]))
    found.setdefault("group", 1)
    for name, length, number in (("strides", rank, 1), ("dilations", rank, 1), ("pads", 2 * rank, 0)):
        found.setdefault(name, (number,) * length)
    if custom_op(kernel) == "ConvTranspose":
        found.setdefault("output_padding", (0,) * rank)
    return found


def lower_reshape(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Lowers ONNX's Reshape: the elements of the input in another shape."""
    return reshaped(lowering, lowering.value(required(kernel, 0)), given_shape(kernel))


def custom_op(kernel: Kernel) -> str:
    """ONNX's name of the operator."""
    assert kernel.primitive is not None
    return custom_type(kernel.primitive).rpartition(".")[2]


def attributes_of(kernel: Kernel) -> Mapping[str, Any]:
    """The operator's attributes.

    Raises:
        NotLowered: an attribute is a tensor or a graph.
    """
    assert kernel.primitive is not None
    found: dict[str, Any] = custom_attributes(kernel.primitive)
    own = {name: value for name, value in found.items() if not name.startswith(INTERNAL)}
    plain = all(isinstance(value, int | float | str | list | tuple) for value in own.values())
    wanted(plain, RejectCode.ATTRIBUTE, "attributes must be numbers, text or lists of them")
    return own


def operands_of(kernel: Kernel) -> list[Tensor | None]:
    """The operands by their places in the file, None where one is left out."""
    assert kernel.primitive is not None
    places = custom_attributes(kernel.primitive).get(INPUTS)
    if places is None:
        return list(kernel.operands)
    by_place = dict(zip(places, kernel.inputs, strict=True))
    return [by_place.get(place) for place in range(max(places, default=-1) + 1)]


def _written(kernel: Kernel, lowering: Lowering, attributes: Mapping[str, AttributeValue]) -> Lowered:
    operands = [None if x is None else lowering.in_order(lowering.value(x)) for x in operands_of(kernel)]
    dtype, shape = given_dtype(kernel), given_shape(kernel)
    return as_model(lowering.emit(custom_op(kernel), operands, dtype, shape, **attributes))


LOWERINGS = {
    **{f"ai.onnx.{op}": lower_as_it_is for op in ("Acos", "Asin", "Atan", "Col2Im", "Det", "Einsum")},
    "ai.onnx.RoiAlign": lower_roi_align,
    "ai.onnx.GridSample": lower_grid_sample,
    "ai.onnx.Conv": lower_windows,
    "ai.onnx.ConvTranspose": lower_windows,
    "ai.onnx.DeformConv": lower_windows,
    "ai.onnx.Reshape": lower_reshape,
}

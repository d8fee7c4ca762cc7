"""Whether a device computes a model in the model's own types, as EXECUTION_MODE_HINT=ACCURACY asks of AUTO."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...errors import PropertyError
from ...inference.model.compiled_model import CompiledModel
from ...ir import DataType, Graph

MODE = "EXECUTION_MODE_HINT"
MODES = ("PERFORMANCE", "ACCURACY")
CAPABILITIES = "OPTIMIZATION_CAPABILITIES"
_HOLDS: Mapping[DataType, tuple[str, ...]] = {
    DataType.FLOAT16: ("FP16", "FP32", "FP64"),
    DataType.BFLOAT16: ("BF16", "FP32", "FP64"),
    DataType.FLOAT32: ("FP32", "FP64"),
    DataType.FLOAT64: ("FP64",),
}
"""For each real type, the capabilities of devices that hold all numbers of the type without rounding."""


def why_inexact(model: CompiledModel, mode: str) -> str:
    """Why a device does not hold the types of a model exactly, "" where it does or the mode is not ACCURACY.

    A device that does not tell its OPTIMIZATION_CAPABILITIES is taken to hold all types exactly.

    Args:
        model: the model compiled for the device.
        mode: the mode of the call, which counts where the device has no EXECUTION_MODE_HINT of its own.
    """
    if mode_of(model, mode) != "ACCURACY":
        return ""
    for delegate in model.settings.delegates:
        try:
            told = delegate.get_property(CAPABILITIES)
        except PropertyError:
            continue
        has = tuple(map(str, told)) if isinstance(told, Collection) and not isinstance(told, str) else (str(told),)
        rounded = [dtype.name for dtype in _real_types(model.graph) if not set(has).intersection(_HOLDS[dtype])]
        if rounded:
            real = [name for name in has if any(name in each for each in _HOLDS.values())]
            return (
                f"the model has {' and '.join(rounded)}, and '{delegate.name}' keeps real numbers as "
                f"{', '.join(real) or 'nothing'} ({CAPABILITIES}), with {MODE} ACCURACY"
            )
    return ""


def mode_of(model: CompiledModel, mode: str) -> object:
    """The EXECUTION_MODE_HINT of a compiled model: the value of its device, or else the value of the call."""
    try:
        return model.get_property(MODE)
    except PropertyError:
        return mode


def _real_types(graph: Graph) -> list[DataType]:
    values = (value for node in graph.nodes for value in (*node.inputs, *node.outputs) if value is not None)
    found = {value.dtype for value in values}
    return [dtype for dtype in _HOLDS if dtype in found]

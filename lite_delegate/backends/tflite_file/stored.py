"""Constants in the element types of the model's file: float16, and int8 with scales, for the float32 of kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from ...basics.data_class import dataclass
from ...formats.tflite.export import GraphWriter, Quantization, TfliteTensor, Written, version_of
from ...tensors.tensor import Array

Place: TypeAlias = tuple[int, int]
"""Where numbers lie: address and number of bytes."""
HYBRID = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"})
"""Operators that LiteRT computes of real numbers by weights of int8, for which it quantizes the numbers."""
ASYMMETRIC = {"FULLY_CONNECTED": {"asymmetric_quantize_inputs": True}}


@dataclass(frozen=True, slots=True)
class StoredForm:
    """The form of a constant in the model's file.

    Attributes:
        scales: of int8, one or one per channel; empty for float16.
        zero_points: as many.
    """

    scales: tuple[float, ...] = ()
    zero_points: tuple[int, ...] = ()


def place_of(array: Array) -> Place:
    """Where an array's numbers lie; the same for views of all of them."""
    return int(array.__array_interface__["data"][0]), array.nbytes


def keep_stored(graph: GraphWriter, stored: Mapping[Place, StoredForm], *, hybrid: bool) -> None:
    """Gives constants of a subgraph the element types of the model's file, where these hold the same numbers.

    Args:
        graph: the subgraph, whose operators are all written.
        stored: the forms of float32 constants, by place.
        hybrid: whether operators multiply by int8 directly, as in a file of TensorFlow Lite; else, and for other
            operators, DEQUANTIZE makes real numbers of the constant.
    """
    for tensor in graph.tensors():
        form = stored.get(place_of(tensor.data)) if tensor.data is not None and tensor.dtype == "float32" else None
        found = None if form is None else _narrow(tensor, form)
        if found is None:
            continue
        array, meaning = found
        if meaning is not None and hybrid and _is_weight(graph, tensor, meaning):
            tensor.dtype, tensor.quantization, tensor.data = "int8", meaning, array
        else:
            constant = graph.tensor(f"{tensor.name}/stored", array.dtype.name, array.shape, meaning, array)
            tensor.data = None
            graph.operator("DEQUANTIZE", [constant], [tensor], "DequantizeOptions")
            graph.operators.insert(0, graph.operators.pop())
    graph.operators[:] = [_versioned(each) for each in graph.operators]


def _narrow(tensor: TfliteTensor, form: StoredForm) -> tuple[Array, Quantization | None] | None:
    """The elements and their meaning; None where these are other numbers."""
    assert tensor.data is not None
    if form.scales:
        return next(_integers(tensor.data, form), None)
    with np.errstate(over="ignore"):
        halves = tensor.data.astype(np.float16)
    return (halves, None) if np.array_equal(halves, tensor.data) else None


def _integers(data: Array, form: StoredForm) -> Iterator[tuple[Array, Quantization]]:
    """The integers by each axis that the scales may lie along."""
    count = len(form.scales)
    for axis in [0] if count == 1 else [axis for axis, dim in enumerate(data.shape) if dim == count]:
        shape = [-1 if place == axis and count > 1 else 1 for place in range(data.ndim)]
        scales, points = np.array(form.scales, np.float32).reshape(shape), np.array(form.zero_points).reshape(shape)
        with np.errstate(all="ignore"):
            numbers = np.rint(data / scales) + points
        inside = bool((np.abs(numbers + 0.5) <= 127.5).all())
        if inside and np.array_equal((numbers - points).astype(np.float32) * scales, data):
            yield numbers.astype(np.int8), Quantization(form.scales, form.zero_points, axis)


def _is_weight(graph: GraphWriter, tensor: TfliteTensor, meaning: Quantization) -> bool:
    """Whether a constant is nothing but the weights of operators that take int8."""
    uses = [(each.use, place) for each in graph.operators for place, x in enumerate(each.use.inputs) if x is tensor]
    taken = all(use.kind in HYBRID and place == 1 and use.x() == "float32" for use, place in uses)
    return taken and not any(meaning.zero_points) and tensor not in graph.outputs


def _versioned(written: Written) -> Written:
    """An operator with the options and the version that hybrid weights ask for."""
    if not written.use.is_hybrid():
        return written
    use = replace(written.use, options={**written.use.options, **ASYMMETRIC.get(written.use.kind, {})})
    return replace(written, use=use, version=version_of(use))

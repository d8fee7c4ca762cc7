"""Quantized forms of float kernels that need no integer arithmetic of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel, as_tuple
from ._quantization import BYTES, STORED, NodeQuantization, Quantization, dequantize, per_tensor, quantize, requantize

_FLOAT = np.dtype(np.float32)


def through_floats(reference: ReferenceKernel) -> ReferenceKernel:
    """Integers to real numbers, the float kernel, and back.

    Inputs that have a quantization are real numbers to the float kernel, others (axes, indices) stay as they are.
    Float results become integers, in the dtype of input 0, where the output has a quantization; other results
    (indices, truth values) stay as they are.
    """

    def run(*arrays: Array | None, quantization: NodeQuantization, **attributes: Any) -> tuple[Array, ...]:
        reals = [
            None if a is None else real_of(a, q)
            for a, q in zip(arrays, padded(quantization.inputs, len(arrays)), strict=True)
        ]
        results = as_tuple(reference.run(*reals, **attributes))
        dtype = _storage(arrays)
        outputs = padded(quantization.outputs, len(results))
        return tuple(
            r if q is None or r.dtype.kind != "f" else quantize(r, q, dtype)
            for r, q in zip(map(np.asarray, results), outputs, strict=True)
        )

    def infer(*specs: ArraySpec | None, quantization: NodeQuantization, **attributes: Any) -> tuple[ArraySpec, ...]:
        inputs = padded(quantization.inputs, len(specs))
        _check_inputs(specs, inputs)
        reals = [real_spec(s, q) for s, q in zip(specs, inputs, strict=True)]
        results = as_tuple(reference.infer(*reals, **attributes))
        dtype = _storage(specs)
        outputs = padded(quantization.outputs, len(results))
        return tuple(
            s if q is None or s.dtype.kind != "f" else ArraySpec(dtype, s.shape)
            for s, q in zip(results, outputs, strict=True)
        )

    return ReferenceKernel(reference.op_type, run, infer, STORED, reference.needs_output_count, True)


def element_by_element(reference: ReferenceKernel) -> ReferenceKernel:
    """A function of single elements; of bytes as a table of what ``through_floats`` gives for each of the 256."""
    exact = through_floats(reference)

    def run(x: Array, *, quantization: NodeQuantization, **attributes: Any) -> Array:
        if x.dtype.name not in BYTES:
            return np.asarray(*as_tuple(exact.run(x, quantization=quantization, **attributes)))
        every = np.arange(256, dtype=np.uint8).view(x.dtype)
        (table,) = as_tuple(exact.run(every, quantization=quantization, **attributes))
        return np.asarray(table[x.view(np.uint8)])

    return ReferenceKernel(reference.op_type, run, exact.output_specs, STORED, reference.needs_output_count, True)


def by_movement(reference: ReferenceKernel) -> ReferenceKernel:
    """Moves integers without looking at them; they are quantized anew only where parameters differ.

    Several inputs get the output's parameters first. Where a side has no parameters, integers stay as they are.
    """

    def run(*arrays: Array | None, quantization: NodeQuantization, **attributes: Any) -> tuple[Array, ...]:
        sources = padded(quantization.inputs, len(arrays))
        data = [q for a, q in zip(arrays, sources, strict=True) if a is not None and a.dtype.name in STORED]
        common = data[0] if len(data) == 1 else next(iter(quantization.outputs), None)
        moved = [_anew(a, q, common) for a, q in zip(arrays, sources, strict=True)]
        results = as_tuple(reference.run(*moved, **attributes))
        targets = padded(quantization.outputs, len(results))
        return tuple(np.asarray(_anew(r, common, q)) for r, q in zip(results, targets, strict=True))

    def infer(*specs: ArraySpec | None, quantization: NodeQuantization, **attributes: Any) -> tuple[ArraySpec, ...]:
        for kind, found in (("input", quantization.inputs), ("output", quantization.outputs)):
            for i, q in enumerate(found):
                if q is not None and not (kind == "input" and i < len(specs) and _is_index(specs[i])):
                    per_tensor(q, f"{kind} {i}")
        return as_tuple(reference.infer(*specs, **attributes))

    return ReferenceKernel(reference.op_type, run, infer, STORED, reference.needs_output_count, True)


def as_stored(reference: ReferenceKernel) -> ReferenceKernel:
    """A kernel that takes integers for what they are: it asks for shapes, or converts element types."""

    def run(*arrays: Array | None, quantization: NodeQuantization, **attributes: Any) -> Array | tuple[Array, ...]:
        return reference.run(*arrays, **attributes)

    def infer(
        *specs: ArraySpec | None, quantization: NodeQuantization, **attributes: Any
    ) -> ArraySpec | tuple[ArraySpec, ...]:
        found: ArraySpec | tuple[ArraySpec, ...] = reference.infer(*specs, **attributes)
        return found

    return ReferenceKernel(reference.op_type, run, infer, STORED, reference.needs_output_count, True)


def padded(found: Sequence[Quantization | None], count: int) -> list[Quantization | None]:
    """The quantization of each of so many tensors; positions that are missing at the end have none."""
    return [*found, *[None] * (count - len(found))][:count]


def _storage(inputs: Sequence[Array | ArraySpec | None]) -> np.dtype[Any]:
    return next((x.dtype for x in inputs if x is not None and x.dtype.name in STORED), np.dtype(np.int8))


def real_of(array: Array, quantization: Quantization | None) -> Array:
    """The real numbers of an input; without a quantization it stays as it is."""
    if quantization is None or array.dtype.kind == "f":
        return array
    return dequantize(array, quantization, _channel_axis(quantization, array.shape))


def real_spec(spec: ArraySpec | None, quantization: Quantization | None) -> ArraySpec | None:
    """The spec of the real numbers of an input; without a quantization it stays as it is."""
    if spec is None or quantization is None or spec.dtype.kind == "f":
        return spec
    return ArraySpec(_FLOAT, spec.shape, None if spec.value is None else real_of(spec.value, quantization))


def _channel_axis(quantization: Quantization, shape: tuple[int, ...]) -> int:
    """The last dimension where there are as many elements as scales, the first otherwise."""
    count = len(quantization.scales)
    return next((i for i in reversed(range(len(shape))) if shape[i] == count), 0)


def _check_inputs(specs: Sequence[ArraySpec | None], inputs: Sequence[Quantization | None]) -> None:
    for i, (spec, q) in enumerate(zip(specs, inputs, strict=True)):
        if spec is None:
            continue
        if q is None and spec.dtype.name in STORED:
            raise KernelInputError(f"input {i} must have quantization parameters")
        if q is not None and len(q.scales) > 1 and spec.known and len(q.scales) not in (spec.shape or ()):
            raise KernelInputError(f"input {i} has {len(q.scales)} scales for shape {spec.shape}")


def _anew(array: Array | None, source: Quantization | None, target: Quantization | None) -> Array | None:
    if array is None or source is None or target is None or array.dtype.name not in STORED:
        return array
    return requantize(array, source, target)


def _is_index(spec: ArraySpec | None) -> bool:
    return spec is None or spec.dtype.name not in STORED

"""The key of a compiled part of a run: everything that its program and its constants depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ...delegate import Boundary
from ...tensor import Tensor
from ..compiler.parts import RunPart
from ..ir.target import Target
from .importing import profile_hash


def program_key(part: RunPart, boundary: Boundary, target: Target) -> str:
    """The hexadecimal SHA-256 of kernels and constants of a part, and of what it is compiled for.

    Args:
        part: of a run.
        boundary: of the whole run.
        target: what it is compiled for.
    """
    numbers: dict[Tensor, int] = {}
    for kernel in part.kernels:
        for tensor in (*kernel.inputs, *kernel.outputs):
            numbers.setdefault(tensor, len(numbers))
    kernels = [
        (
            kernel.name,
            kernel.type,
            kernel.quant_type.name,
            [] if kernel.primitive is None else [(n, _plain(v)) for n, v in kernel.primitive.attributes().items()],
            [None if each is None else numbers[each] for each in kernel.operands],
            [numbers[each] for each in kernel.outputs],
        )
        for kernel in part.kernels
    ]
    ports = [
        [(numbers[tensor], whole.index(tensor)) for tensor in tensors]
        for tensors, whole in (
            (part.boundary.inputs, boundary.inputs),
            (part.boundary.outputs, boundary.outputs),
        )
    ]
    digest = hashlib.sha256(repr((kernels, ports, _told(target), [_described(each) for each in numbers])).encode())
    for tensor in numbers:
        if tensor.is_const and tensor.data is not None:
            digest.update(np.ascontiguousarray(tensor.data).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _described(tensor: Tensor) -> tuple[object, ...]:
    data = tensor.data if tensor.is_const else None
    kind = None if data is None else (data.dtype.str, data.shape)
    return (tensor.name, tensor.dtype.name, tensor.format.name, tensor.shape, tensor.quant_params, kind)


def _told(target: Target) -> Sequence[object]:
    names = [each.name for each in fields(Target) if each.name not in ("profile", "compile_threads")]
    return [profile_hash(target.profile), [(name, getattr(target, name)) for name in names]]


def _plain(value: Any) -> object:
    """An attribute as a value whose text is different for another value."""
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tobytes())
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value

"""Tensors and attributes of a model as plain data, for records."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from ...basics.counted import counted
from ...ir import Primitive, custom_attributes
from ...tensors.tensor import Tensor
from .records import TensorRecord


class TensorRecords:
    """Gives each tensor one record. Their numbers tell tensors apart: names in a model file need not be unique."""

    def __init__(self) -> None:
        self._known: dict[Tensor, TensorRecord] = {}

    def of(self, tensor: Tensor) -> TensorRecord:
        """The record of a tensor, the same each time."""
        if tensor not in self._known:
            self._known[tensor] = TensorRecord(
                id=len(self._known),
                name=tensor.name,
                dtype=tensor.dtype.name,
                shape=tensor.extents,
                nbytes=tensor.data_size,
                constant=tensor.is_const,
            )
        return self._known[tensor]

    def of_all(self, tensors: tuple[Tensor, ...]) -> tuple[TensorRecord, ...]:
        """The records of several tensors, in their order."""
        return tuple(map(self.of, tensors))


def plain_attributes(primitive: Primitive | None) -> dict[str, Any]:
    """The attributes of a node by name, including those in a Custom node's blobs.

    The attributes are None, bool, int, float, str, and tuples and dicts of these types.
    """
    if primitive is None:
        return {}
    told = custom_attributes(primitive) if primitive.op_type == "Custom" else {}
    return {name: plain(value) for name, value in {**primitive.attributes(), **told}.items()}


def plain(value: Any) -> Any:
    """A value as JSON can hold it. Numbers that JSON has no word for become their names: "inf", "-inf", "nan".

    Bytes become their number and the first of them in hexadecimal digits.
    """
    if isinstance(value, Enum):
        return value.name
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, bytes):
        return f"{counted(len(value), 'byte')}: {value[:16].hex()}{'...' if len(value) > 16 else ''}"
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, tuple | list):
        return tuple(map(plain, value))
    if is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    return str(value)

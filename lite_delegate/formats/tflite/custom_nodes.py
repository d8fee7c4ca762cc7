"""Custom nodes for TensorFlow Lite operators without an operator in the schema; all their contents are kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...flatbuffer.schema import Record
from ...ir import Node, custom_primitive
from ...ir.custom import INPUTS, REASON, TFLITE, VERSION
from ..rejection import NotConvertible
from .converters.custom_options import option_bytes
from .operator import TfliteOperator

_PLAIN = (bool, int, float, str)


def custom_node(operator: TfliteOperator, rejected: NotConvertible) -> Node:
    """A Custom node of type ``tflite.KIND``, or of the custom operator's own name, with the options as attributes.

    Variables that it reads are parameters of the graph.

    Args:
        operator: in the file.
        rejected: why it has no counterpart.

    Raises:
        NotConvertible: ``rejected``: an operand or result is of a type that kernels do not compute with.
    """
    tensors = operator.tensors
    values = [value for value in (*operator.inputs, *operator.outputs) if value is not None]
    if any(value in tensors.unusable or value in tensors.complex for value in values):
        raise rejected
    for value in values:
        if value in tensors.variables:
            value.is_parameter = True
    kept: dict[str, Any] = {}
    for member in operator.options:
        kept.update(_plain_options(member.record) if member is not None and member.record is not None else {})
    if operator.custom_options is not None:
        kept["options"] = option_bytes(operator.custom_options)
    kept[VERSION] = operator.version
    present = [i for i, value in enumerate(operator.inputs) if value is not None]
    if present != list(range(len(present))):
        kept[INPUTS] = present
    kept[REASON] = f"{rejected.why}: {rejected.reason}"
    type = operator.custom or f"{TFLITE}.{operator.kind}"
    inputs = [value for value in operator.inputs if value is not None]
    return Node(
        operator.name, custom_primitive(type, kept), [*inputs], list(operator.outputs), sources=(operator.source,)
    )


def _plain_options(record: Record) -> dict[str, Any]:
    """The fields of a table that are numbers, text or vectors of them; a field that the file lacks has its default."""
    found: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, np.ndarray):
            found[name] = value.tolist() if value.ndim == 1 else value
        elif isinstance(value, _PLAIN):
            found[name] = value
    return found

"""Unpacks constants that are stored packed."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ...errors import ModelFormatError
from ...ir import DataType, Graph, Node, Value
from ..framework.base import PassResult
from ..framework.graph_pass import GraphPass
from ..framework.rewriting import rewrite_constants
from .bit_fields import BitStreamError
from .unpacking import unpack


class UnpackConstantsPass(GraphPass):
    """Gives every packed constant that a node reads its elements.

    1. A constant that several nodes read is unpacked once and stays one value.
    2. Quantization parameters stay, and say the width of plain elements; codebooks stay.
    3. Constant tensor lists, whose contents are no elements, stay.
    4. Constants that no node reads stay as they are.
    """

    name: ClassVar[str] = "unpack-constants"

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph without packed constants.

        Raises:
            ModelFormatError: names the constant that is damaged, or packed in a way that cannot be read.
        """
        unpacked: dict[Value, Value] = {}

        def rewrite(node: Node, position: int, value: Value) -> Value:
            if value.packed is None or value.dtype == DataType.TENSOR_LIST:
                return value
            if value not in unpacked:
                unpacked[value] = _unpacked(value, node)
            return unpacked[value]

        return rewrite_constants(graph, rewrite)


def _unpacked(value: Value, node: Node) -> Value:
    try:
        data = unpack(value)
    except BitStreamError as e:
        raise ModelFormatError(f"Constant '{value.name}' of node '{node.name}' ({node.op_type}): {e}.") from e
    params = tuple(replace(p, num_bits=8 * data.itemsize) for p in value.quant_params)
    return replace(value, data=data, packed=None, quant_params=params)

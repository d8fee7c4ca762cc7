"""OperatorConversion: an operator to be converted, the facts about its operands, and functions to add nodes for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, NoReturn, TypeAlias

import numpy as np

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir import DataType, Format, Node, Value, constant, make_primitive
from ..rejection import NotConvertible, Why
from .operator import TfliteOperator
from .quantization import quant_type
from .subgraphs import Subgraphs
from .tensors.buffers import Array, CopyBudget, own
from .variables import Variables

UNKNOWN = -1


@dataclass(slots=True)
class OperatorConversion:
    """An operator about to be converted.

    A converter is a function that takes one, adds nodes of ours that give the operator's outputs, and raises
    ``NotConvertible`` where there is no honest counterpart. ``table.py`` says which operator is whose.

    Attributes:
        operator: what to convert.
        budget: for constants that have to be laid out anew.
        subgraphs: those that operators call.
        variables: of the file.
        nodes: what was added.
    """

    operator: TfliteOperator
    budget: CopyBudget
    subgraphs: Subgraphs
    variables: Variables
    nodes: list[Node] = field(default_factory=list)

    # What the operator has.

    def x(self, index: int = 0) -> Value:
        """An operand that must be there.

        Raises:
            FormatProblem: it is not.
        """
        found = self.optional(index)
        if found is None:
            raise FormatProblem(f"input {index} is missing", "inputs")
        return found

    def optional(self, index: int) -> Value | None:
        """An operand that may be absent."""
        return self.operator.inputs[index] if index < len(self.operator.inputs) else None

    def given(self) -> list[Value]:
        """All operands.

        Raises:
            FormatProblem: an operand is absent, or there are no operands.
        """
        return [self.x(i) for i in range(max(1, len(self.operator.inputs)))]

    def y(self, index: int = 0) -> Value:
        """A result.

        Raises:
            FormatProblem: the operator lists fewer.
        """
        if index >= len(self.operator.outputs):
            raise FormatProblem(f"output {index} is missing", "outputs")
        return self.operator.outputs[index]

    def option(self, table: str) -> Record:
        """The operator's options; see ``TfliteOperator.option``."""
        return self.operator.option(table)

    def called(self, subgraph: int) -> int:
        """The number by which nodes call a subgraph of the file."""
        return self.subgraphs.number(subgraph, self.operator.subgraph)

    # What is known of operands.

    def rank(self, value: Value) -> int:
        """The number of dimensions; rejects the operator where it is not known."""
        if value.shape is None:
            self.reject(Why.SHAPE, f"the rank of '{value.name}' must be known")
        return len(value.shape)

    def dim(self, value: Value, axis: int) -> int:
        """A dimension, -1 where it is not known or there is no such dimension."""
        shape = value.shape or ()
        return shape[axis] if -len(shape) <= axis < len(shape) else UNKNOWN

    def contents(self, index: int, what: str) -> Array:
        """The contents of an operand; rejects the operator where they are not part of the model."""
        data = self.x(index).data
        if data is None:
            self.reject(Why.NOT_CONSTANT, f"{what} (input {index}) must be a constant")
        return data

    def integers(self, index: int, what: str) -> list[int]:
        """The contents of an operand of integers, in a row; rejects the operator where they are not constant."""
        data = self.contents(index, what)
        if data.dtype.kind not in "iu" or data.size > 64:
            raise FormatProblem(f"{what} must be up to 64 integers, found {data.size} of {data.dtype}", "inputs")
        return [int(n) for n in data.reshape(-1)]

    def integer(self, index: int, what: str) -> int:
        """The one integer that an operand holds."""
        found = self.integers(index, what)
        if len(found) != 1:
            raise FormatProblem(f"{what} must be one integer, found {len(found)}", "inputs")
        return found[0]

    def channels(self, value: Value, axis: int) -> None:
        """Rejects the operator where a value is quantized per channel along another dimension than ``axis``."""
        found = self.operator.tensors.channels.get(value, 0)
        if len(value.quant_params) > 1 and found != axis:
            self.reject(Why.DTYPE, f"channels of '{value.name}' must be along dimension {axis}, found {found}")

    # Adding nodes.

    def node(
        self, op_type: str, inputs: Sequence[Value | None], outputs: Sequence[Value] | Value, **attributes: Any
    ) -> None:
        """Adds a node.

        Args:
            op_type: the schema's name of our operator.
            inputs: the operands in the schema's order; absent ones at the end are left out.
            outputs: values that nothing gives yet.
            attributes: of the primitive.

        Raises:
            NotConvertible: there is no kernel for these element types.
        """
        operands = list(inputs)
        while operands and operands[-1] is None:
            operands.pop()
        results = [outputs] if isinstance(outputs, Value) else list(outputs)
        node = self._made(op_type, operands, results, attributes)
        node.quant_type = quant_type(node)
        self.nodes.append(node)

    def plain_node(self, op_type: str, inputs: Sequence[Value], outputs: Sequence[Value], **attributes: Any) -> None:
        """Adds a node that takes integers as integers, without their quantization."""
        self.nodes.append(self._made(op_type, list(inputs), list(outputs), attributes))

    def _made(
        self, op_type: str, inputs: list[Value | None], outputs: list[Value], attributes: Mapping[str, Any]
    ) -> Node:
        name = f"{self.operator.name}/{op_type}-{len(self.nodes)}" if self.nodes else self.operator.name
        return Node(name, make_primitive(op_type, **attributes), inputs, outputs, sources=(self.operator.source,))

    def between(self, like: Value, suffix: str, dtype: DataType | None = None, *, same_shape: bool = True) -> Value:
        """A new value between two nodes, with the parameters of ``like`` unless it has another element type."""
        kind = like.dtype if dtype is None else dtype
        params = like.quant_params if dtype is None else ()
        return Value(f"{like.name}/{suffix}", kind, like.shape if same_shape else None, quant_params=params)

    def constant(self, suffix: str, data: Array | Sequence[int]) -> Value:
        """A small constant; integers become int32."""
        array = data if isinstance(data, np.ndarray) else np.array(data, np.int32)
        return constant(f"{self.operator.name}/{suffix}", array)

    def cast(self, x: Value, y: Value) -> None:
        """Adds a node that gives ``x`` in the element type of ``y``."""
        self.plain_node("Cast", [x, self.constant("type", np.array(int(y.dtype), np.int32))], [y])

    def result(self, y: Value, dtype: DataType) -> Value:
        """Where a node that gives ``dtype`` writes, for output ``y``; a cast follows where ``y`` has another type.

        The cast is added by ``finish``.
        """
        return y if y.dtype == dtype else self.between(y, dtype.name.lower(), dtype)

    def finish(self, made: Value, y: Value) -> None:
        """Adds the cast from ``result`` to ``y``, where they differ."""
        if made is not y:
            self.cast(made, y)

    def transposed(self, value: Value, order: Sequence[int], format: Format = Format.NHWC) -> Value:
        """A value with its dimensions in another order; a constant is laid out anew, once for this operator."""
        if self.rank(value) != len(order):
            raise FormatProblem(
                f"'{value.name}' must have {counted(len(order), 'dimension')}, found {value.shape}", "inputs"
            )
        shape = tuple((value.shape or ())[i] for i in order)
        if value.data is not None:
            return replace(value, shape=shape, format=format, data=own(value.data.transpose(order), self.budget))
        made = replace(value, name=f"{value.name}/transposed", shape=shape)
        self.node("Transpose", [value, self.constant("order", list(order))], made)
        return made

    # Rejecting.

    def reject(self, why: Why, reason: str) -> NoReturn:
        """Says that there is no honest counterpart."""
        raise NotConvertible(why, reason)

    def reject_unless(self, condition: object, why: Why, reason: str) -> None:
        """Rejects the operator unless ``condition`` holds."""
        if not condition:
            raise NotConvertible(why, reason)


Converter: TypeAlias = Callable[[OperatorConversion], None]

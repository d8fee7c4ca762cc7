"""The view of one ONNX node that converters have, and the functions by which they add nodes for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias

import numpy as np
from lite_delegate_kernels import UNKNOWN, Array, ArraySpec

from ...basics.data_class import dataclass
from ...ir import Graph, Source, Value
from ...ir.custom import ONNX
from ..rejection import NotConvertible, Rejection, Why
from .builder import GraphBuilder
from .operators import name_of
from .protobuf.types import Dtype, type_id
from .scope import Scope

if TYPE_CHECKING:
    import onnx

MAX_RANK = 64
"""Dimensions that an array can have."""
MAX_TABLE = 1 << 25
"""Elements of a constant that is made because shapes ask for it."""

Outputs: TypeAlias = "Value | Sequence[Value | None]"
Converter: TypeAlias = "Callable[[OnnxNode], Outputs]"


class GraphImporter(Protocol):
    """The import of a model, as converters of nodes that hold graphs need it.

    Attributes:
        rejections: the nodes that could not be converted so far.
        graphs: the subgraphs that nodes made so far; ``PartialFusion`` calls the first one 1.
        attempts: the number of conversions of loop bodies, repeated conversions included.
    """

    rejections: list[Rejection]
    graphs: list[Graph]
    attempts: int

    def initializers(self, tensors: Iterable[onnx.TensorProto], scope: Scope) -> None:
        """Adds constants to the scope; one of a type that no kernel computes with is lost."""

    def convert(self, nodes: Sequence[onnx.NodeProto], scope: Scope) -> None:
        """Converts nodes in their order; their outputs are among the scope's values afterwards.

        Raises:
            FormatProblem: a node reads a name that nothing before it gives, or gives one that is taken.
        """

    def add_graph(self, graph: Graph) -> int:
        """Adds a subgraph; the number that ``PartialFusion`` has for it."""

    def mark(self) -> tuple[int, int]:
        """The point that the import has reached, for ``back_to``."""

    def back_to(self, mark: tuple[int, int]) -> None:
        """Forgets rejections and subgraphs that came after ``mark``."""


class UseFunctionBody(Exception):
    """Raised by a converter before it adds a node: ONNX's function body of the operator is to be used."""


@dataclass
class OnnxNode:
    """A node about to be converted.

    A converter is a function that takes one, adds nodes of ours with ``emit``, and returns the value of each output:
    one value, or a sequence with None for an output that nobody reads. It raises ``NotConvertible`` where there is no
    honest counterpart. It stands in the table of its family's file, and that in ``table.py``.

    Attributes:
        proto: the node in the file.
        op_type: ONNX's name of the operator.
        opset: the version of the operator's domain that the model asks for.
        inputs: the operands, None for an optional one that is left out.
        attributes: as Python values: str, arrays for tensors, lists for INTS and FLOATS, GraphProto for graphs.
        source: the node of the file.
        builder: where nodes go.
        scope: the names that the node can see; for converters of control flow.
        importer: the import; for converters of control flow.
    """

    proto: onnx.NodeProto
    op_type: str
    opset: int
    inputs: Sequence[Value | None]
    attributes: Mapping[str, Any]
    source: Source
    builder: GraphBuilder
    scope: Scope
    importer: GraphImporter
    _made: int = field(default=0)

    @property
    def name(self) -> str:
        """The node's name; where it has none, the name of its first output."""
        return self.scope.prefix + name_of(self.proto)

    # What the node has.

    def x(self, index: int = 0) -> Value:
        """An operand that must be there."""
        value = self.optional(index)
        if value is None:
            self.reject(Why.ATTRIBUTE, f"input {index} is missing")
        return value

    def optional(self, index: int) -> Value | None:
        """An operand that may be left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def given(self) -> list[Value]:
        """All operands that are there."""
        return [x for x in self.inputs if x is not None]

    def get(self, name: str, default: Any) -> Any:
        """An attribute."""
        return self.attributes.get(name, default)

    def wants(self, index: int) -> bool:
        """True where output ``index`` has a name, so that a node may read it."""
        return index < len(self.proto.output) and self.proto.output[index] != ""

    # What is known of values.

    def spec(self, value: Value) -> ArraySpec:
        """Dtype, shape and contents as far as they are known."""
        return self.builder.spec(value)

    def dtype(self, value: Value) -> Dtype:
        """The element type."""
        return self.spec(value).dtype

    def rank(self, value: Value) -> int:
        """The number of dimensions; rejects the node where it is not known."""
        return len(self.dims(value))

    def dims(self, value: Value) -> tuple[int, ...]:
        """The dimensions, -1 where one is not known; rejects the node where the rank is not known."""
        shape = self.spec(value).shape
        if shape is None:
            self.reject(Why.RANK, f"the rank of '{value.name}' must be known")
        return shape

    def shape(self, value: Value) -> tuple[int, ...]:
        """The dimensions; rejects the node where one is not known."""
        dims = self.dims(value)
        if UNKNOWN in dims:
            self.reject(Why.SHAPE, f"the shape of '{value.name}' must be known, found {list(dims)}; give input shapes")
        return dims

    def length(self, value: Value) -> int:
        """The number of elements of a list of axes or dimensions; rejects the node where no array can have so many."""
        (count,) = self.shape(value)
        self.reject_unless(count <= MAX_RANK, Why.RANK, f"at most {MAX_RANK} dimensions are supported, found {count}")
        return count

    def check_table(self, *dims: int) -> None:
        """Rejects the node where a constant of these dimensions, which its shapes ask for, would be too large."""
        count = prod(dims)
        reason = f"tables of up to {MAX_TABLE} elements are supported, its shapes ask for {count}"
        self.reject_unless(count <= MAX_TABLE, Why.SHAPE, reason)

    def known(self, value: Value | None) -> Array | None:
        """The contents where they follow from constants and known shapes."""
        return None if value is None else self.spec(value).value

    def constant_input(self, index: int, what: str) -> Array:
        """The contents of an operand; rejects the node where they are not known before the model runs."""
        found = self.known(self.x(index))
        if found is None:
            self.reject(Why.NOT_CONSTANT, f"{what} (input {index}) must be a constant")
        return found

    def axis(self, axis: int, rank: int) -> int:
        """A possibly negative axis as a position; rejects the node where it is out of range."""
        self.reject_unless(-rank <= axis < rank, Why.ATTRIBUTE, f"axis {axis} for rank {rank}")
        return axis % rank

    # Adding nodes.

    def emit(self, op_type: str, *inputs: Value | None, **attributes: Any) -> Value:
        """Adds a node with one output; see ``GraphBuilder.add``."""
        return self.emit_all(op_type, 1, *inputs, **attributes)[0]

    def emit_all(self, op_type: str, outputs: int, *inputs: Value | None, **attributes: Any) -> list[Value]:
        """Adds a node with ``outputs`` outputs."""
        name = f"{self.name}/{op_type}_{self._made}" if self._made else self.name
        self._made += 1
        names = [f"{name}:{i}" for i in range(outputs)]
        return self.builder.add(op_type, inputs, attributes, names, name)

    def constant(self, data: Any, suffix: str = "constant") -> Value:
        """A constant that holds a view of ``data``."""
        return self.builder.constant(f"{self.name}/{suffix}", np.asarray(data))

    def scalar(self, number: float | int | bool, like: Value) -> Value:
        """A constant of rank 0 in the dtype of ``like``."""
        return self.builder.small_constant(np.asarray(number, dtype=self.dtype(like)))

    def ints(self, numbers: Sequence[int]) -> Value:
        """A constant list of int32, as files hold axes, shapes and the like."""
        return self.builder.small_constant(np.asarray(numbers, dtype=np.int32).reshape(-1))

    def axis_operand(self, axis: int) -> Value:
        """An axis as an operand of rank 0, as Gather takes it."""
        return self.builder.small_constant(np.array(axis, np.int32))

    def longs(self, numbers: Sequence[int]) -> Value:
        """A constant list of int64."""
        return self.builder.small_constant(np.asarray(numbers, dtype=np.int64).reshape(-1))

    def cast(self, value: Value, dtype: Dtype | str) -> Value:
        """``value`` in another dtype; itself where it has that one."""
        wanted = np.dtype(dtype)
        if self.dtype(value) == wanted:
            return value
        return self.emit("Cast", value, self.builder.small_constant(np.array(type_id(wanted), np.int32)))

    def narrowed(self, value: Value, elem_type: int, **attributes: Any) -> Value:
        """``value`` rounded to the numbers of a narrow ONNX element type, in the wider type that holds them."""
        made = self.emit(f"{ONNX}.Cast", value, to=elem_type, **attributes)
        self.builder.mark_narrow(made, elem_type)
        return made

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        """``value`` with its dimensions in another order; constants are laid out anew at once."""
        if list(order) == list(range(len(order))):
            return value
        if value.data is not None:
            return self.builder.constant(f"{value.name}/{''.join(map(str, order))}", value.data.transpose(order))
        return self.emit("Transpose", value, self.ints(order))

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        """``value`` under another shape: 0 copies a dimension, -1 follows from the others. Constants at once."""
        if value.data is not None and 0 not in shape:
            return self.builder.constant(f"{value.name}/reshaped", value.data.reshape(shape))
        return self.emit("Reshape", value, self.ints(shape))

    def unsqueeze(self, value: Value, axes: Sequence[int]) -> Value:
        """``value`` with dimensions of 1 at ``axes`` of the result, ascending; constants at once."""
        if value.data is not None:
            return self.builder.constant(f"{value.name}/unsqueezed", np.expand_dims(value.data, tuple(axes)))
        return self.emit("Unsqueeze", value, axis=list(axes))

    def squeeze(self, value: Value, axes: Sequence[int]) -> Value:
        """``value`` without the dimensions ``axes``, which are 1; at least one is named."""
        return self.emit("Squeeze", value, axis=list(axes))

    def inner_scope(self, *labels: str) -> Scope:
        """See ``Scope.inside``."""
        return self.scope.inside(self.proto, self.source, *labels)

    # Rejecting.

    def reject(self, why: Why, reason: str) -> NoReturn:
        """Says that there is no honest counterpart."""
        raise NotConvertible(why, reason)

    def reject_unless(self, condition: object, why: Why, reason: str) -> None:
        """Rejects the node unless ``condition`` holds."""
        if not condition:
            raise NotConvertible(why, reason)

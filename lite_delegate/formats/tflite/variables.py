"""Variables of a file: the contents of its resources, under names that all its subgraphs share."""

from __future__ import annotations

from dataclasses import field

from ...basics.data_class import dataclass
from ...flatbuffer.problem import FormatProblem
from ...ir import DataType, Graph, Source, Value
from ..rejection import NotConvertible, Rejection, Why

_OPEN = -1


@dataclass(slots=True)
class Variables:
    """The variables of a file, as far as its operators have named them.

    Attributes:
        by_name: each variable by container and shared name.
        handles: the variable that a tensor of the type RESOURCE stands for.
        initializers: subgraphs that run once, before everything else, with the operators that say so.
    """

    by_name: dict[tuple[str, str], Value] = field(default_factory=dict)
    handles: dict[Value, Value] = field(default_factory=dict)
    initializers: dict[int, Source] = field(default_factory=dict)

    def named(self, container: str, name: str) -> Value:
        """The variable of a name, with type and shape of the first value that is read from it or assigned to it."""
        found = self.by_name.get((container, name))
        if found is None:
            found = Value(name or container or "variable", DataType.UNKNOWN, None, is_parameter=True)
            self.by_name[container, name] = found
        return found

    def behind(self, handle: Value, like: Value) -> Value:
        """The variable that a handle stands for, which holds something like a value.

        Raises:
            NotConvertible: the handle comes from no VAR_HANDLE of its own subgraph.
            FormatProblem: the variable holds something of another type or shape.
        """
        found = self.handles.get(handle)
        if found is None:
            raise NotConvertible(Why.NOT_CONSTANT, f"'{handle.name}' must come from a VAR_HANDLE of the same subgraph")
        _learn(found, like)
        return found

    def initialize(self, graph: Graph) -> None:
        """Gives variables the constants that a subgraph assigns to them.

        Raises:
            NotConvertible: the subgraph does something else.
        """
        for node in graph.nodes:
            variable, value = (*node.inputs, None, None)[:2]
            if node.op_type != "Assign" or variable is None or value is None or value.data is None:
                reason = f"it may only assign constants to variables, found node '{node.name}' ({node.op_type})"
                raise NotConvertible(Why.NOT_CONSTANT, reason)
            variable.data, variable.shape = value.data, value.shape

    def unknown(self) -> list[Rejection]:
        """The rejections of variables that operators use although no subgraph gives their shape."""
        return [
            Rejection("VAR_HANDLE", f"variable '{v.name}'", Why.SHAPE, f"its shape must be known, found {v.shape}")
            for v in self.by_name.values()
            if v.dtype != DataType.UNKNOWN and (v.shape is None or _OPEN in v.shape)
        ]


def _learn(variable: Value, like: Value) -> None:
    """Learns a variable's type and shape from a value that holds it."""
    if variable.dtype == DataType.UNKNOWN:
        variable.dtype, variable.quant_params = like.dtype, like.quant_params
    if variable.dtype != like.dtype:
        text = f"variable '{variable.name}' is {variable.dtype.name}, '{like.name}' is {like.dtype.name}"
        raise FormatProblem(text, "tensors")
    if like.shape is not None and (variable.shape is None or _OPEN in variable.shape):
        variable.shape = like.shape

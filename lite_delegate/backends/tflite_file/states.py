"""Variables of a file: handles that are read at the beginning, assigned to at the end, and set once before."""

from __future__ import annotations

from collections.abc import Sequence

from ...basics.data_class import dataclass
from ...delegate import RejectCode
from ...formats.tflite.export import TfliteTensor, tensor_type_of
from ...formats.tflite.export.tensors import RESOURCE
from ...tensors.tensor import Array, Tensor
from ..lowering import NotLowered
from .scope import RunScope


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A variable.

    Attributes:
        name: of the variable, which other subgraphs of the file share it by.
        first: its first contents.
    """

    name: str
    first: Array


def read_states(scope: RunScope, states: Sequence[State], tensors: Sequence[Tensor]) -> list[TfliteTensor]:
    """Reads variables into tensors of the run; returns their handles.

    A subgraph that runs once gives the variables their first contents.
    """
    if not states:
        return []
    once = RunScope(scope.model, scope.model.graph("first contents"))
    for handle, state in zip(_handles(once, states), states, strict=True):
        if tensor_type_of(state.first.dtype.name) is None:
            raise NotLowered(RejectCode.DTYPE, "variables hold the format's element types", f"is {state.first.dtype}")
        first = once.builtins.constant(state.first, name=f"{state.name}/first")
        once.graph.operator("ASSIGN_VARIABLE", [handle, first], [], "AssignVariableOptions")
    options = {"init_subgraph_index": scope.model.place(once.graph)}
    scope.graph.operator("CALL_ONCE", [], [], "CallOnceOptions", options)
    handles = _handles(scope, states)
    for handle, tensor in zip(handles, tensors, strict=True):
        scope.graph.operator("READ_VARIABLE", [handle], [scope.output(tensor)], "ReadVariableOptions")
    return handles


def _handles(scope: RunScope, states: Sequence[State]) -> list[TfliteTensor]:
    made = []
    for state in states:
        handle = scope.graph.tensor(f"{state.name}/handle", RESOURCE, ())
        names = {"container": "", "shared_name": state.name}
        scope.graph.operator("VAR_HANDLE", [], [handle], "VarHandleOptions", names)
        made.append(handle)
    return made


def assign_states(scope: RunScope, handles: Sequence[TfliteTensor], tensors: Sequence[Tensor]) -> None:
    """Gives variables their next contents."""
    values = [scope.value(tensor) for tensor in tensors]
    for handle, value in zip(handles, values, strict=True):
        scope.graph.operator("ASSIGN_VARIABLE", [handle, value], [], "AssignVariableOptions")

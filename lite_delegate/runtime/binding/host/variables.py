"""Variables: constants and parameters of the model that Assign and AssignAdd change while it runs.

NOTE: nothing writes into the array of a variable; a new array takes its place. The caller of the model gives the first
contents: the contents in the file, or those that the run before left (``Run.execute``).
"""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import Array, ArraySpec, KernelInputError

from ....errors import GraphError
from ....ir import DataType, Graph, Node, Value, has_numpy, to_numpy
from ....ir.traits import ASSIGNMENTS
from ..specs import Spec
from .operator import HostOperator, expect_array
from .shapes import meet_shapes

REASON = "variables live on the host"


def assign(variable: Array, value: Array, *, declared: tuple[int, ...] | None = None) -> tuple[Array, Array]:
    """``value`` twice: as the output, and as the variable's new contents.

    Args:
        variable: the present contents.
        value: the new contents.
        declared: the shape of a variable that may grow along open dimensions; None: the shape of ``variable``.

    Raises:
        KernelInputError: ``value`` has another shape than the variable.
    """
    if declared is not None:
        meet_shapes("value", declared, value.shape)
    elif value.shape != variable.shape:
        raise KernelInputError(f"value must have the variable's shape {variable.shape}, got {value.shape}")
    return value, value


def assign_add(variable: Array, value: Array, *, declared: tuple[int, ...] | None = None) -> tuple[Array, Array]:
    """``variable + value`` twice, as in ``assign``; integers wrap around. The variable keeps its shape.

    Raises:
        KernelInputError: ``value`` has another shape than ``variable``.
    """
    assign(variable, value)
    total = np.add(variable, value)
    return total, total


def infer_assign(variable: Spec, value: Spec) -> tuple[Spec, Spec]:
    """The variable's spec, for the output and for the variable.

    Raises:
        KernelInputError: ``value`` has another type or shape.
    """
    known, new = expect_array("variable", variable), expect_array("value", value)
    if known.dtype != new.dtype:
        raise KernelInputError(f"value must be {known.dtype} as the variable, got {new.dtype}")
    meet_shapes("value", known.shape, new.shape)
    return known, known


def find_variables(main: Graph) -> tuple[Value, ...]:
    """The variables of a model, each once: assigned values, parameters without contents, and shared resources.

    Raises:
        GraphError: a node assigns to a value that is no variable, or a parameter has no known size.
    """
    found: dict[Value, None] = {}
    assigned: set[Value] = set()
    for graph in main.all_graphs():
        given = set(graph.inputs).union(*(node.outputs for node in graph.nodes))
        for node in graph.nodes:
            if node.op_type in ASSIGNMENTS:
                found[_target(graph, node, given)] = None
                assigned.update(v for v in node.inputs[:1] if v is not None)
            reads = (v for v in node.inputs if v is not None and v.is_parameter and v not in given)
            found.update((v, None) for v in reads if not v.is_constant or v in main.resources)
    for variable in found:
        if variable not in assigned and -1 in (variable.shape or ()):
            raise _unknown(variable)
    return tuple(found)


def initial_contents(variable: Value) -> Array:
    """The contents of a variable when a prediction starts: the file's contents, zeros without any.

    A variable without contents is empty along its open dimensions: it may grow along them.

    Raises:
        GraphError: the type or the rank of the variable is not known.
    """
    of_numbers = has_numpy(variable.dtype) and variable.dtype != DataType.STRING
    if variable.data is not None and of_numbers:
        return variable.data
    shape = variable.shape
    if variable.packed is not None or not of_numbers or shape is None:
        raise _unknown(variable)
    return np.zeros([max(0, d) for d in shape], to_numpy(variable.dtype))


def variable_spec(variable: Value) -> ArraySpec:
    """Type and shape of a variable, -1 where it may grow; raises as ``initial_contents`` does."""
    contents = initial_contents(variable)
    return ArraySpec(contents.dtype, contents.shape if variable.shape is None else variable.shape)


def _unknown(variable: Value) -> GraphError:
    return GraphError(
        f"Variable '{variable.name}' must be of numbers and have a known shape, "
        f"found {variable.dtype.name} {'of unknown rank' if variable.shape is None else list(variable.shape)}."
    )


def _target(graph: Graph, node: Node, given: set[Value]) -> Value:
    target = node.inputs[0] if node.inputs else None
    if target is None or target in given:
        found = "nothing" if target is None else f"'{target.name}', which the graph's inputs or nodes give"
        raise GraphError(
            f"Graph '{graph.name}', node '{node.name}' ({node.op_type}): input 0 must be a constant or a parameter "
            f"of the model, found {found}."
        )
    return target


VARIABLE_OPERATORS = (
    HostOperator("Assign", assign, infer_assign, REASON),
    HostOperator("AssignAdd", assign_add, infer_assign, REASON),
)

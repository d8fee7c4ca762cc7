"""The table of operators that the runtime runs itself."""

from __future__ import annotations

from lite_delegate_kernels import ArraySpec

from ....ir import Node
from ..specs import Specs, spec_of_value
from .operator import HostOperator
from .partials import DEPEND, PARTIAL_OPERATORS
from .tensor_array import ARRAY_OPERATORS
from .tensor_list import LIST_OPERATORS
from .variables import VARIABLE_OPERATORS

HOST_OPERATORS = {
    each.op_type: each for each in (*PARTIAL_OPERATORS, *LIST_OPERATORS, *ARRAY_OPERATORS, *VARIABLE_OPERATORS)
}


def host_operator(node: Node, specs: Specs) -> HostOperator | None:
    """The runtime's own operator for a node; None where a reference kernel or a delegate does it.

    Depend is a matter of the host only where it passes on a list or a subgraph to call, or waits for one.
    """
    op_type = node.op_type
    if op_type != DEPEND.op_type:
        return HOST_OPERATORS.get(op_type)
    inputs = (spec_of_value(value, specs) for value in node.inputs)
    return DEPEND if any(s is not None and not isinstance(s, ArraySpec) for s in inputs) else None

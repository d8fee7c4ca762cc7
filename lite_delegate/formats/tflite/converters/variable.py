"""Variables: READ_VARIABLE reads the contents at its place in the file; later assignments do not count."""

from __future__ import annotations

from ....ir import Value
from ..conversion import Converter, OperatorConversion


def var_handle(c: OperatorConversion) -> None:
    """No node: a reader of the handle in the same subgraph gets the variable."""
    options = c.option("VarHandleOptions")
    c.variables.handles[c.y()] = c.variables.named(options["container"] or "", options["shared_name"] or "")


def read_variable(c: OperatorConversion) -> None:
    """Depend on the variable."""
    c.plain_node("Depend", [c.variables.behind(c.x(), c.y())], [c.y()])


def assign_variable(c: OperatorConversion) -> None:
    """Assign of the variable's type and shape."""
    assign(c, c.variables.behind(c.x(), c.x(1)), c.x(1))


def call_once(c: OperatorConversion) -> None:
    """No node: the subgraph may only assign constants, which are the first contents of the variables."""
    c.variables.initializers.setdefault(c.option("CallOnceOptions")["init_subgraph_index"], c.operator.source)


def assign(c: OperatorConversion, variable: Value, value: Value) -> None:
    """Adds the node that changes a variable."""
    given = Value(f"{c.operator.name}/{variable.name}", variable.dtype, variable.shape)
    given.quant_params = variable.quant_params
    c.plain_node("Assign", [variable, value], [given])


CONVERTERS: dict[str, Converter] = {
    "VAR_HANDLE": var_handle,
    "READ_VARIABLE": read_variable,
    "ASSIGN_VARIABLE": assign_variable,
    "CALL_ONCE": call_once,
}
"""Converters of this file by the schema's names."""
RESOURCES = frozenset(CONVERTERS)
"""Operators that may read or give handles of variables."""

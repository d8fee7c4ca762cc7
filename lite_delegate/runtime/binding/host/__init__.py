"""Operators that the runtime runs itself: subgraphs as values, tensor lists and arrays, variables, custom operators."""

from .custom import CustomInfer, CustomOperator, CustomRun, custom_function, infer_custom
from .operator import HostOperator
from .partials import Partial
from .table import HOST_OPERATORS, host_operator
from .tensor_list import stored_list
from .variables import find_variables, initial_contents, variable_spec

__all__ = [
    "HOST_OPERATORS",
    "CustomInfer",
    "CustomOperator",
    "CustomRun",
    "HostOperator",
    "Partial",
    "custom_function",
    "find_variables",
    "host_operator",
    "infer_custom",
    "initial_contents",
    "stored_list",
    "variable_spec",
]

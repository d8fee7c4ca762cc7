"""The reference kernel of a node, for delegates that run nodes on the host themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from lite_delegate_kernels import Array, as_tuple
from lite_delegate_kernels.built_in import built_in_kernels

from ...delegate import Kernel
from ...errors import UnsupportedOperatorError
from ...ir import Node, Value
from ...ir.types.enums import QuantType
from ...shapes.attributes import kernel_attributes
from ...shapes.finding import kernel_for
from ...tensors.tensor import Tensor

HostFunction: TypeAlias = Callable[[Sequence[Array | None]], tuple[Array, ...]]


def host_function(kernel: Kernel) -> HostFunction:
    """The function that computes a node's outputs from its operands.

    Raises:
        UnsupportedOperatorError: there is no reference kernel for it.
    """
    if kernel.primitive is None:
        raise _missing(kernel)
    inputs = [None if t is None else _value(t) for t in kernel.operands]
    node = Node(kernel.name, kernel.primitive, inputs, [_value(t) for t in kernel.outputs], kernel.quant_type)
    found = kernel_for(built_in_kernels(), node, quantized=kernel.quant_type == QuantType.QUANT_ALL)
    if found is None:
        raise _missing(kernel)
    attributes, run = kernel_attributes(node, found), found.run

    def function(operands: Sequence[Array | None]) -> tuple[Array, ...]:
        return as_tuple(run(*operands, **attributes))

    return function


def _value(tensor: Tensor) -> Value:
    data = tensor.held if tensor.is_const else None
    return Value(tensor.name, tensor.dtype, tensor.extents, tensor.format, data, tensor.quant_params)


def _missing(kernel: Kernel) -> UnsupportedOperatorError:
    return UnsupportedOperatorError(f"Node '{kernel.name}' ({kernel.type}): the CPU has no kernel for it.")

"""Programs of Acme's devices. numpy stands for the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lite_delegate import Boundary, BoundKernel, Kernel

Array = np.ndarray[Any, Any]


class AcmeGraph(Kernel):
    """A run of kernels: reads the tensors that enter it, sets the tensors that leave it."""

    def __init__(self, boundary: Boundary, run: Sequence[BoundKernel]) -> None:
        super().__init__(f"AcmeGraph_{run[0].name}", "AcmeGraph", boundary.inputs, boundary.outputs)
        self._program = [(_function(kernel), kernel.inputs, kernel.outputs[0]) for kernel in run]

    def execute(self) -> None:
        """Runs the program once."""
        for function, inputs, output in self._program:
            output.data = function(*(tensor.data for tensor in inputs))


def _function(kernel: BoundKernel) -> Callable[..., Array]:
    attributes = kernel.primitive
    if kernel.type == "Softmax":
        axis = attributes.axis[0]
        return lambda x: softmax(x, axis)
    first, epsilon = attributes.begin_norm_axis, attributes.epsilon
    return lambda x, gamma, beta: layer_norm(x, gamma, beta, first, epsilon)


@np.errstate(all="ignore")
def softmax(x: Array, axis: int) -> Array:
    """Powers of e along an axis, divided by their sum: the shape of ``x``."""
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def layer_norm(x: Array, gamma: Array, beta: Array, first: int, epsilon: float) -> Array:
    """``x`` without its mean, divided by its deviation, over the axes from ``first`` on: the shape of ``x``."""
    axes = tuple(range(first % x.ndim, x.ndim))
    mean, variance = x.mean(axis=axes, keepdims=True), x.var(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon) * gamma + beta

"""Small models in float64, with the errors of the device carried from layer to layer, for real numbers and integers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from lite_delegate.ir import Graph, Node
from lite_delegate.ir.primitives import AvgPoolFusion, Conv2DFusion, LayerNormFusion, MatMulFusion, MaxPoolFusion
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.device.programs.window import Window
from lite_delegate.npu.semantics.error_bounds import (
    FLOAT32_ROUNDOFF,
    matmul_deviation,
    matmul_error,
    storage_deviation,
    storage_error,
    windows,
)
from lite_delegate.npu.semantics.quantized_error_bounds import Steps, StoredWeight, rounding_steps
from lite_delegate.npu.semantics.windows import window_of
from lite_delegate.semantics.geometry import conv_sliding, pool_sliding
from tests.npu.quantizing import Quantized
from tests.present import data_of, present

Array = np.ndarray[Any, Any]
Arrays = tuple[Array, Array, Array]
"""Exact numbers (float64), a bound on the device's error, and the standard deviation to expect of it."""


def relu(node: Node, y: Array) -> Array:
    primitive: Any = node.primitive
    return np.maximum(y, 0) if primitive.activation_type.name == "RELU" else y


def each(function: Callable[[Array], Array], arrays: Arrays) -> Arrays:
    """A function of the numbers, their errors and their deviations."""
    y, error, deviation = arrays
    return function(y), function(error), function(deviation)


class Chain(ABC):
    """Evaluates a float graph; how results are stored is the subclass's business."""

    def run(self, graph: Graph, x: Array) -> Arrays:
        known = {graph.inputs[0]: self.entering(graph.inputs[0], x.astype(np.float64))}
        for node in graph.nodes:
            known[node.outputs[0]] = getattr(self, f"_{node.op_type}")(
                node, *(known[v] for v in node.inputs if v in known)
            )
        return self.leaving(graph.outputs[0], known[graph.outputs[0]])

    @abstractmethod
    def entering(self, value: Any, x: Array) -> Arrays: ...

    @abstractmethod
    def leaving(self, value: Any, arrays: Arrays) -> Arrays: ...

    @abstractmethod
    def product(self, node: Node, arrays: Arrays, weight: Array, bias: Array, part: slice) -> Arrays: ...

    @abstractmethod
    def result(self, node: Node, y: Array, error: Array, deviation: Array) -> Arrays:
        """A result, computed in float32, that is stored."""

    def _Conv2DFusion(self, node: Node, arrays: Arrays) -> Arrays:
        primitive, weight, bias = node.primitive, *_constants(node)
        assert isinstance(primitive, Conv2DFusion)
        window = window_of(conv_sliding(primitive, weight.shape), arrays[0].shape)
        group, count = primitive.group, weight.shape[0] // primitive.group
        parts = zip(*(windows(a, window, group) for a in arrays), strict=True)
        made = []
        for g, part in enumerate(parts):
            own = slice(g * count, (g + 1) * count)
            made.append(self.product(node, part, weight[own].reshape(count, -1).T, bias[own], own))
        y, error, deviation = zip(*made, strict=True)
        return np.concatenate(y, axis=-1), np.concatenate(error, axis=-1), np.concatenate(deviation, axis=-1)

    def _FullConnection(self, node: Node, arrays: Arrays) -> Arrays:
        weight, bias = _constants(node)
        return self.product(node, arrays, weight.T, bias, slice(None))

    def _MatMulFusion(self, node: Node, arrays: Arrays) -> Arrays:
        assert isinstance(node.primitive, MatMulFusion)
        assert (node.primitive.transpose_a, node.primitive.transpose_b) == (False, True)
        return self._FullConnection(node, arrays)

    def _Activation(self, node: Node, arrays: Arrays) -> Arrays:
        """ReLU enlarges no error."""
        return self.result(node, relu(node, arrays[0]), *arrays[1:])

    def _Transpose(self, node: Node, arrays: Arrays) -> Arrays:
        order = data_of(node, 1)
        return each(lambda a: a.transpose(order), arrays)

    def _MaxPoolFusion(self, node: Node, arrays: Arrays) -> Arrays:
        """A maximum is off by no more than the worst of its window."""
        return each(lambda a: np.asarray(a.max(axis=-2)), self._pooled(node, arrays))

    def _AvgPoolFusion(self, node: Node, arrays: Arrays) -> Arrays:
        x, error, deviation = self._pooled(node, arrays)
        taps = x.shape[-2]
        return self.result(node, x.mean(-2), error.mean(-2), np.sqrt(np.square(deviation).sum(-2)) / taps)

    def _pooled(self, node: Node, arrays: Arrays) -> Arrays:
        assert isinstance(node.primitive, (MaxPoolFusion, AvgPoolFusion))
        window = window_of(pool_sliding(node.primitive, arrays[0].shape), arrays[0].shape)
        assert isinstance(window, Window)
        assert window.before == (0, 0)
        return each(lambda a: windows(a, window).reshape(*_outer(a, window), -1, a.shape[-1]), arrays)

    def _AddFusion(self, node: Node, a: Arrays, b: Arrays) -> Arrays:
        y = relu(node, a[0] + b[0])
        return self.result(node, y, a[1] + b[1], np.hypot(a[2], b[2]))

    def _Reshape(self, node: Node, arrays: Arrays) -> Arrays:
        shape = data_of(node, 1)
        return each(lambda a: a.reshape(shape), arrays)

    def _LayerNormFusion(self, node: Node, arrays: Arrays) -> Arrays:
        """The last axis. The root of the variance moves by no more than the error's root mean square."""
        x, error, deviation = arrays
        assert isinstance(node.primitive, LayerNormFusion)
        gamma, beta = (np.abs(data_of(node, i).astype(np.float64)) for i in (1, 2))
        centered = x - x.mean(-1, keepdims=True)
        root = np.sqrt(np.square(centered).mean(-1, keepdims=True) + node.primitive.epsilon)
        y = centered / root * data_of(node, 1) + data_of(node, 2)
        moved = error + error.mean(-1, keepdims=True)
        spread = np.sqrt(np.square(error).mean(-1, keepdims=True))
        assert (spread < root).all()
        off = gamma * (moved / (root - spread) + np.abs(centered) * spread / (root * (root - spread)))
        off += self.constants(gamma * np.abs(centered) / root) + self.constants(beta)
        typical = np.sqrt(
            np.square(deviation).mean(-1, keepdims=True) * (np.square(centered / root) + 1) + deviation**2
        )
        return self.result(node, y, off, gamma * typical / root + self.constants(np.abs(y) + beta))

    def _Softmax(self, node: Node, arrays: Arrays) -> Arrays:
        """Logits off by e: each exponential by a factor within exp(-e) and exp(e), and so their sum."""
        x, error, deviation = arrays
        p = np.exp(x - x.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        worst = error.max(-1, keepdims=True)
        off = np.minimum(p * np.expm1(np.minimum(2 * worst, 100.0)), 1.0)
        typical = p * np.sqrt(np.square(deviation) + (np.square(p) * np.square(deviation)).sum(-1, keepdims=True))
        return self.result(node, p, off, typical)

    @abstractmethod
    def constants(self, sizes: Array) -> Array:
        """Bound on the error of float constants of these sizes."""


def _constants(node: Node) -> tuple[Array, Array]:
    """Weight and bias in float64; a bias that is absent is zeros."""
    weight = data_of(node, 1).astype(np.float64)
    absent = len(node.inputs) < 3
    return weight, np.zeros(weight.shape[0]) if absent else data_of(node, 2).astype(np.float64)


def _outer(a: Array, window: Window) -> tuple[int, ...]:
    return (a.shape[0], *window.output)


class FloatChain(Chain):
    """Real numbers of a type."""

    def __init__(self, element: ElementType) -> None:
        self._element = element

    def entering(self, value: Any, x: Array) -> Arrays:
        return x, storage_error(x, self._element), storage_deviation(x, self._element)

    def leaving(self, value: Any, arrays: Arrays) -> Arrays:
        return arrays

    def constants(self, sizes: Array) -> Array:
        return storage_error(sizes, self._element)

    def product(self, node: Node, arrays: Arrays, weight: Array, bias: Array, part: slice) -> Arrays:
        x, error, deviation = arrays
        bounds = (
            matmul_error(x, weight, bias, error, self._element),
            matmul_deviation(x, weight, bias, deviation, self._element),
        )
        return relu(node, x @ weight + bias), *bounds

    def result(self, node: Node, y: Array, error: Array, deviation: Array) -> Arrays:
        inside = error + IN_FLOAT32 * FLOAT32_ROUNDOFF * (1 + np.abs(y))
        stored = storage_error(np.abs(y) + inside, self._element)
        return y, inside + stored, np.sqrt(deviation**2 + storage_deviation(y, self._element) ** 2)


IN_FLOAT32 = 64
"""Roundings of float32 that are granted to what an instruction does before it stores, of numbers around 1."""


class IntegerChain(Chain):
    """Integers with the steps of a quantized model."""

    def __init__(self, model: Quantized) -> None:
        self._model = model

    def entering(self, value: Any, x: Array) -> Arrays:
        steps = self._model.steps[value]
        return x, steps.stored_error(x), np.full_like(x, steps.deviation)

    def leaving(self, value: Any, arrays: Arrays) -> Arrays:
        """Real numbers again: two roundings of float32, and the type in which they are stored."""
        y, error, deviation = arrays
        return y, error + storage_error(np.abs(y) + error) + FLOAT32_ROUNDOFF * 2 * np.abs(y), deviation

    def constants(self, sizes: Array) -> Array:
        return storage_error(sizes, ElementType.FLOAT32)

    def product(self, node: Node, arrays: Arrays, weight: Array, bias: Array, part: slice) -> Arrays:
        x, error, deviation = arrays
        source, out = self._model.steps[present(node.inputs[0])], self._model.steps[node.outputs[0]]
        stored = StoredWeight(weight, self._model.weight_scales[present(node.inputs[1])][part], bias.astype(np.float64))
        y = relu(node, x @ weight + bias)
        bound = stored.product_error(x, error, source.scale, out, y)
        return y, bound, stored.product_deviation(x, deviation, source.scale, out)

    def result(self, node: Node, y: Array, error: Array, deviation: Array) -> Arrays:
        """A mean of integers, a sum at a common scale, or float32: half a step, and a little before it."""
        out: Steps = self._model.steps[node.outputs[0]]
        inside = error + IN_FLOAT32 * FLOAT32_ROUNDOFF * (1 + np.abs(y)) + 2.0**-17 * out.scale
        return y, out.stored_error(y, inside, rounding_steps(0.0)), np.hypot(deviation, out.deviation)

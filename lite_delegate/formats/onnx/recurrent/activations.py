"""Activation functions of ONNX's recurrent operators, by name, with the numbers that they take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ....data_class import dataclass
from ....ir import Value
from ...rejection import NotConvertible, Why
from ..conversion import OnnxNode

_Formula = Callable[[OnnxNode, Value, float, float], Value]


@dataclass(frozen=True)
class GateActivation:
    """A function of single elements.

    Attributes:
        name: in small letters.
        alpha: its first number, where it takes one.
        beta: its second number, where it takes one.
    """

    name: str
    alpha: float = 0.0
    beta: float = 0.0

    def apply(self, node: OnnxNode, x: Value) -> Value:
        """Adds nodes for the function of ``x``."""
        return _FORMULAS[self.name](node, x, self.alpha, self.beta)


def activations_of(node: OnnxNode, default: Sequence[str]) -> list[GateActivation]:
    """The functions that a node names, or ``default``; numbers that are given go to those that take one, in order.

    Raises:
        NotConvertible: a function that ONNX does not define.
    """
    names = [name.lower() for name in node.get("activations", None) or default]
    unknown = next((name for name in names if name not in _FORMULAS), None)
    if unknown is not None:
        raise NotConvertible(
            Why.ATTRIBUTE, f"activation {unknown}; those of the standard are {', '.join(sorted(_FORMULAS))}"
        )
    alphas, betas = iter(node.get("activation_alpha", [])), iter(node.get("activation_beta", []))
    return [_with_numbers(name, alphas, betas) for name in names]


def _with_numbers(name: str, alphas: Iterator[float], betas: Iterator[float]) -> GateActivation:
    defaults = _DEFAULTS.get(name, ())
    alpha = next(alphas, defaults[0]) if len(defaults) > 0 else 0.0
    beta = next(betas, defaults[1]) if len(defaults) > 1 else 0.0
    return GateActivation(name, alpha, beta)


def _ours(activation_type: str) -> _Formula:
    return lambda node, x, alpha, beta: node.emit("Activation", x, activation_type=activation_type, alpha=alpha)


def _line(node: OnnxNode, x: Value, alpha: float, beta: float) -> Value:
    scaled = node.emit("MulFusion", x, node.scalar(alpha, x))
    return node.emit("AddFusion", scaled, node.scalar(beta, x))


def _hard_sigmoid(node: OnnxNode, x: Value, alpha: float, beta: float) -> Value:
    return node.emit("Clip", _line(node, x, alpha, beta), min=0.0, max=1.0)


def _scaled_tanh(node: OnnxNode, x: Value, alpha: float, beta: float) -> Value:
    inner = node.emit("MulFusion", x, node.scalar(beta, x))
    return node.emit("MulFusion", node.emit("Activation", inner, activation_type="TANH"), node.scalar(alpha, x))


def _leaky_relu(node: OnnxNode, x: Value, alpha: float, beta: float) -> Value:
    return node.emit("LeakyRelu", x, negative_slope=alpha)


def _elu(node: OnnxNode, x: Value, alpha: float, beta: float) -> Value:
    return node.emit("Elu", x, alpha=alpha)


_FORMULAS: dict[str, _Formula] = {
    "affine": _line,
    "elu": _elu,
    "hardsigmoid": _hard_sigmoid,
    "leakyrelu": _leaky_relu,
    "relu": _ours("RELU"),
    "scaledtanh": _scaled_tanh,
    "sigmoid": _ours("SIGMOID"),
    "softplus": _ours("SOFTPLUS"),
    "softsign": _ours("SOFTSIGN"),
    "tanh": _ours("TANH"),
    "thresholdedrelu": _ours("THRESHOLDRELU"),
}
_DEFAULTS: dict[str, tuple[float, ...]] = {
    "affine": (1.0, 0.0),
    "elu": (1.0,),
    "hardsigmoid": (0.2, 0.5),
    "leakyrelu": (0.01,),
    "scaledtanh": (1.0, 1.0),
    "thresholdedrelu": (1.0,),
}

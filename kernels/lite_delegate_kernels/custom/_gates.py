"""Activation functions of ONNX's recurrent operators, by name, with the numbers that they take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from .._activations import elu, leaky_relu, sigmoid, softplus, softsign, threshold_relu
from .._kernel import Array, KernelInputError

Gate = Callable[[Array], Array]
"""A function of single elements."""


def gates_of(
    names: Sequence[str] | None,
    alphas: Sequence[float] | None,
    betas: Sequence[float] | None,
    default: Sequence[str],
    directions: int,
) -> list[list[Gate]]:
    """The functions of each direction; numbers that are given go to those that take one, in order.

    Args:
        names: of all directions, in any case; ``default`` for each where none are given.
        alphas: first numbers.
        betas: second numbers.
        default: the names of one direction.
        directions: 1 or 2.

    Raises:
        KernelInputError: a function that ONNX does not define, or another number of them.
    """
    given = [name.lower() for name in names or [*default] * directions]
    unknown = next((name for name in given if name not in _FORMULAS), None)
    if unknown is not None:
        raise KernelInputError(f"activation {unknown}; those of the standard are {', '.join(sorted(_FORMULAS))}")
    if len(given) != len(default) * directions:
        raise KernelInputError(f"activations must be {len(default) * directions}, found {len(given)}")
    first, second = iter(alphas or ()), iter(betas or ())
    found = [_with_numbers(name, first, second) for name in given]
    return [found[i : i + len(default)] for i in range(0, len(found), len(default))]


def _with_numbers(name: str, alphas: Iterator[float], betas: Iterator[float]) -> Gate:
    formula, *defaults = _FORMULAS[name]
    numbers = [next(given, default) for given, default in zip((alphas, betas), defaults, strict=False)]
    return partial(_of_numbers, formula, numbers)


def _of_numbers(formula: Callable[..., Array], numbers: Sequence[float], x: Array) -> Array:
    return formula(x, *numbers)


def _affine(x: Array, alpha: float, beta: float) -> Array:
    return alpha * x + beta


def _hard_sigmoid(x: Array, alpha: float, beta: float) -> Array:
    return np.clip(alpha * x + beta, 0, 1)


def _scaled_tanh(x: Array, alpha: float, beta: float) -> Array:
    return np.asarray(alpha * np.tanh(beta * x))


def _relu(x: Array) -> Array:
    return np.maximum(x, 0)


_FORMULAS: dict[str, tuple[Callable[..., Array], *tuple[float, ...]]] = {
    "affine": (_affine, 1.0, 0.0),
    "elu": (elu, 1.0),
    "hardsigmoid": (_hard_sigmoid, 0.2, 0.5),
    "leakyrelu": (leaky_relu, 0.01),
    "relu": (_relu,),
    "scaledtanh": (_scaled_tanh, 1.0, 1.0),
    "sigmoid": (sigmoid,),
    "softplus": (softplus,),
    "softsign": (softsign,),
    "tanh": (np.tanh,),
    "thresholdedrelu": (threshold_relu, 1.0),
}
"""The formula and its numbers. NOTE: as those of the operators of the same names; ONNX Runtime has others."""

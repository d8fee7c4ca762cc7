"""Activation: one of the activation functions, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from . import _activations as formulas
from ._dtypes import FLOATS, SIGNED_INTS, check_dtype, widen
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel


class FunctionAttributes(NamedTuple):
    """The attributes that a function may have; see ``activation``."""

    alpha: float
    min_val: float
    max_val: float
    approximate: bool


_FUNCTIONS: dict[str, Callable[[Array, FunctionAttributes], Array]] = {
    "NO_ACTIVATION": lambda x, p: x,
    "LINEAR": lambda x, p: x,
    "RELU": lambda x, p: np.maximum(x, 0),
    "RELU6": lambda x, p: np.clip(x, 0, 6),
    "RELU1": lambda x, p: np.clip(x, -1, 1),
    "ABS": lambda x, p: np.abs(x),
    "SIGN": lambda x, p: np.sign(x),
    "SIGMOID": lambda x, p: formulas.sigmoid(x),
    "TANH": lambda x, p: np.tanh(x),
    "SWISH": lambda x, p: formulas.swish(x),
    "HSWISH": lambda x, p: formulas.hswish(x),
    "HSIGMOID": lambda x, p: formulas.hsigmoid(x),
    "HARD_TANH": lambda x, p: formulas.hard_tanh(x, p.min_val, p.max_val),
    "GELU": lambda x, p: formulas.gelu_tanh(x) if p.approximate else formulas.gelu(x),
    "FAST_GELU": lambda x, p: formulas.fast_gelu(x),
    "SOFTPLUS": lambda x, p: formulas.softplus(x),
    "SOFTSIGN": lambda x, p: formulas.softsign(x),
    "ELU": lambda x, p: formulas.elu(x, p.alpha),
    "SELU": lambda x, p: formulas.selu(x),
    "LEAKY_RELU": lambda x, p: formulas.leaky_relu(x, p.alpha),
    "THRESHOLDRELU": lambda x, p: formulas.threshold_relu(x, p.alpha),
}
_FOR_INTS = ("NO_ACTIVATION", "LINEAR", "RELU", "RELU6", "RELU1", "ABS", "SIGN")


@np.errstate(all="ignore")
def activation(
    x: Array,
    *,
    activation_type: str = "NO_ACTIVATION",
    alpha: float = 0.0,
    min_val: float = 0.0,
    max_val: float = 0.0,
    approximate: bool = False,
) -> Array:
    """The activation function ``activation_type`` of every element.

    RELU ``max(x, 0)``, RELU6 ``min(max(x, 0), 6)``, LEAKY_RELU, ELU, SIGMOID, TANH, SWISH, HSWISH, HSIGMOID,
    HARD_TANH, GELU and SOFTPLUS are those of MindSpore Lite's CPU kernel; ``_activations.py`` has the formulas.

    NOTE: MindSpore Lite's CPU kernel rejects the other types of the enum. Here they have their usual meaning:
    NO_ACTIVATION and LINEAR are the identity, ABS ``|x|``, SIGN -1, 0 or 1, RELU1 ``x`` clamped to [-1, 1] (TensorFlow
    Lite's RELU_N1_TO_1), SOFTSIGN ``x / (1 + |x|)``, SELU with the constants of its paper, THRESHOLDRELU ``x`` where
    it is above ``alpha``, else 0 (ONNX's ThresholdedRelu), FAST_GELU ``x * sigmoid(1.702 x)``.

    Args:
        x: any shape, float. Signed integers for the types without a fraction: NO_ACTIVATION, LINEAR, RELU, RELU6,
            RELU1, ABS, SIGN.
        activation_type: every name of the schema's ActivationType but UNKNOWN.
        alpha: slope of LEAKY_RELU, coefficient of ELU, threshold of THRESHOLDRELU; no effect on the others.
        min_val: lower bound of HARD_TANH, none where it is the smallest positive normal float32.
        max_val: upper bound of HARD_TANH, none where it is the largest float32.
        approximate: whether GELU is approximated by tanh.

    Returns:
        The shape and dtype of ``x``; may be ``x`` itself. float16 is computed in float32.
    """
    parameters = FunctionAttributes(alpha, min_val, max_val, approximate)
    return np.asarray(_FUNCTIONS[activation_type](widen(x), parameters), dtype=x.dtype)


def infer_activation(x: ArraySpec, *, activation_type: str, min_val: float, max_val: float) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for UNKNOWN, a dtype it lacks, and HARD_TANH without a range."""
    if activation_type not in _FUNCTIONS:
        raise KernelInputError(f"activation_type must be one of {', '.join(_FUNCTIONS)}, got {activation_type}")
    check_dtype(x, FLOATS + SIGNED_INTS if activation_type in _FOR_INTS else FLOATS)
    if activation_type == "HARD_TANH" and max_val <= min_val:
        raise KernelInputError(f"HARD_TANH needs min_val < max_val, got min_val {min_val} and max_val {max_val}")
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("Activation", activation, infer_activation, FLOATS + SIGNED_INTS)

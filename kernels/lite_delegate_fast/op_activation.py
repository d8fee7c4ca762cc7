"""Activation: the functions that numpy has no single call for, in place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dtypes import widen
from lite_delegate_kernels.op_activation import KERNEL as REFERENCE
from lite_delegate_kernels.op_activation import FunctionAttributes

from . import _activations as formulas
from ._fused import relu
from .fast_kernel import fast_form

_FUNCTIONS: dict[str, Callable[[Array, FunctionAttributes], Array]] = {
    "SIGMOID": lambda x, p: formulas.sigmoid(x),
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


def activation(
    x: Array,
    *,
    activation_type: str = "NO_ACTIVATION",
    alpha: float = 0.0,
    min_val: float = 0.0,
    max_val: float = 0.0,
    approximate: bool = False,
) -> Array:
    """As the reference kernel; GELU within the bound of ``_erf.erf``, other functions within some last bits."""
    if activation_type == "RELU":
        return np.asarray(relu(x))
    parameters = FunctionAttributes(alpha, min_val, max_val, approximate)
    # The formulas work in place, which arrays of rank 0 do not allow.
    wide = widen(x) if x.ndim else widen(x).reshape(1)
    with np.errstate(all="ignore"):
        return _FUNCTIONS[activation_type](wide, parameters).reshape(x.shape).astype(x.dtype, copy=False)


KERNEL = fast_form(REFERENCE, activation, only={"activation_type": ("RELU", *_FUNCTIONS)})

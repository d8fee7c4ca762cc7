"""Nodes that are one numpy function: bound to it, without a Python function around it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from lite_delegate_kernels import UNKNOWN, Array, ReferenceKernel
from lite_delegate_kernels._kernel import RunFunction
from lite_delegate_kernels._shapes import broadcast_shapes

from ._fused import fuse
from .fast_kernel import BindFunction, FastKernel, Inputs, fast_form

PLAIN_DTYPES = ("float32", "float64", "int32", "int64")
"""Narrower ones are left out: float16 may be computed in float32, 8-bit integers may carry what they stand for."""
FUSED = ("NO_ACTIVATION", "RELU")
"""RELU6 is as fast in the reference kernels."""


def as_ufunc(reference: ReferenceKernel, ufunc: np.ufunc) -> FastKernel:
    """The fast form of a reference kernel that gives ``ufunc`` of its arrays."""
    return fast_form(reference, reference.run, bind=partial(bind_ufunc, ufunc))


def fused_ufunc(reference: ReferenceKernel, ufunc: np.ufunc) -> FastKernel:
    """The fast form of a reference kernel that gives ``ufunc`` of its arrays, and a fused activation."""
    return fast_relu(reference, FUSED, partial(bind_ufunc, ufunc))


def fast_relu(
    reference: ReferenceKernel, fused: tuple[str, ...] = ("RELU",), bind: BindFunction | None = None
) -> FastKernel:
    """The fast form of a reference kernel whose fused RELU is the slow part of it, for the activations ``fused``."""

    def run(*arrays: Array | None, activation_type: str = "NO_ACTIVATION", **attributes: Any) -> Array:
        return np.asarray(fuse(np.asarray(reference.run(*arrays, **attributes)), activation_type))

    return fast_form(reference, run, only={"activation_type": fused}, bind=bind)


def bind_ufunc(ufunc: np.ufunc, inputs: Inputs, attributes: Mapping[str, Any]) -> RunFunction | None:
    """``ufunc``, with RELU after it if that is fused; None unless it certainly gives an array of its own.

    Of arrays of rank 0 it would give a number. What it raises for shapes that do not broadcast is what the reference
    kernel raises, which calls it as well.
    """
    specs = [spec for spec in inputs if spec is not None]
    shape = broadcast_shapes(*(spec.shape for spec in specs))
    if len(specs) != ufunc.nin or not shape or any(spec.dtype_name not in PLAIN_DTYPES for spec in specs):
        return None
    if attributes.get("activation_type", "NO_ACTIVATION") == "NO_ACTIVATION":
        return ufunc
    rows = shape[-2:]
    if UNKNOWN in rows:
        return None
    zeros = np.zeros(rows, specs[0].dtype)

    def then_relu(*arrays: Array) -> Array:
        y: Array = ufunc(*arrays)
        np.maximum(y, zeros, out=y)
        return y

    return then_relu

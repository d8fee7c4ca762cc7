"""The table of fast kernels for nodes that run on quantized integers."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from lite_delegate_kernels.built_in import built_in_kernels
from lite_delegate_kernels.quantized import ELEMENT_BY_ELEMENT, THROUGH_FLOATS, WEIGHTED, quantized_kernel

from . import all_kernels
from ._quantized_dense import MakeSums, bind_quantized_dense
from ._quantized_pairs import FORMULAS, bind_pairs
from ._quantized_tables import bind_table
from ._through_floats import bind_through_floats
from .all_kernels import fast_kernel
from .fast_kernel import FastKernel, fast_form, quantized_form
from .op_quant_dtype_cast import KERNEL as CAST

TABLES = (*ELEMENT_BY_ELEMENT, "Activation", *FORMULAS)
"""Operators whose nodes on integers of 8 bits are tables."""
REALS = (*THROUGH_FLOATS, "Softmax")
"""Operators whose nodes on integers of 8 bits are computed in real numbers."""
OWN = (*TABLES, *REALS, CAST.op_type)
"""Operators that have a fast kernel for integers without one for real numbers."""

ALL_FAST_QUANTIZED_KERNELS: tuple[FastKernel, ...]


def __getattr__(name: str) -> Any:
    """The table, made when it is first asked for: that imports all files of operators."""
    if name == "ALL_FAST_QUANTIZED_KERNELS":
        return _all()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


@cache
def _all() -> tuple[FastKernel, ...]:
    names = dict.fromkeys((*(kernel.op_type for kernel in all_kernels.ALL_FAST_KERNELS), *OWN))
    found = [fast_quantized_kernel(op_type) for op_type in names]
    return tuple(kernel for kernel in found if kernel is not None)


@cache
def fast_quantized_kernel(op_type: str) -> FastKernel | None:
    """The fast kernel of an operator whose nodes run on quantized integers; None where there is none."""
    if op_type == CAST.op_type:
        return CAST
    if op_type in TABLES:
        return _tabled(op_type)
    if op_type in REALS:
        return _through_floats(op_type)
    kernel = fast_kernel(op_type)
    form = None if kernel is None else quantized_kernel(kernel)
    if kernel is None or form is None:
        return None
    if op_type == "MaxPoolFusion":
        from .op_max_pool_fusion import bind_quantized

        return fast_form(form, form.run, bind=bind_quantized(form))
    if op_type not in WEIGHTED:
        return quantized_form(kernel, form)
    channel_axis, _ = WEIGHTED[op_type]
    return fast_form(form, form.run, bind=bind_quantized_dense(kernel, channel_axis, _sums_of(op_type)))


def _sums_of(op_type: str) -> MakeSums | None:
    """What makes the sums of an operator in blocks."""
    if op_type not in ("Conv2DFusion", "MatMulFusion"):
        return None
    make: MakeSums = import_module(f".op_{all_kernels.FILES[op_type]}", __package__).quantized_sums
    return make


def _through_floats(op_type: str) -> FastKernel:
    """The fast kernel of an operator whose nodes on integers of 8 bits are computed in real numbers."""
    kernels = built_in_kernels()
    form, reference = kernels.find_quantized_form(op_type), kernels.find(op_type)
    assert form is not None
    assert reference is not None
    return fast_form(form, form.run, bind=bind_through_floats(fast_kernel(op_type) or reference))


def _tabled(op_type: str) -> FastKernel:
    """The fast kernel of an operator whose nodes on integers of 8 bits are tables, which the reference kernel fills."""
    form = built_in_kernels().find_quantized_form(op_type)
    assert form is not None
    return fast_form(form, form.run, bind=bind_pairs(form) if op_type in FORMULAS else bind_table(form))

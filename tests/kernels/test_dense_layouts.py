"""Convolutions, poolings and matrix products on read-only arrays whose elements do not follow each other."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, Array, KernelRegistry

from lite_delegate.conformance.judging.case import ConformanceCase

MODULES = ("avg_pool_fusion", "conv2d_fusion", "conv2d_transpose_fusion", "full_connection", "matmul_fusion")
CASES = [
    case
    for name in (*MODULES, "max_pool_fusion")
    for case in importlib.import_module(f"lite_delegate.conformance.cases.case_{name}").cases()
]


def _column_major(x: Array) -> Array:
    return np.asfortranarray(x)


def _every_other(x: Array) -> Array:
    spread = np.repeat(x[..., None], 2, axis=-1)
    spread[..., 1] = np.nan if x.dtype.kind == "f" else 77
    return spread[..., 0]


@pytest.mark.parametrize("lay_out", [_column_major, _every_other])
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.op_type}-{c.name}")
def test_layout_makes_no_difference(case: ConformanceCase, lay_out: Callable[[Array], Array]) -> None:
    kernel = KernelRegistry(ALL_KERNELS).find(case.op_type)
    assert kernel is not None
    inputs = [lay_out(x) for x in case.inputs if x is not None]
    for x in inputs:
        x.flags.writeable = False
    got = kernel.run(*inputs, **case.attributes)
    np.testing.assert_allclose(got, case.outputs[0], rtol=case.rtol, atol=case.atol, strict=True)

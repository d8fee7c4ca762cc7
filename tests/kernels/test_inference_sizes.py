"""Shape inference materializes nothing that a shape says."""

from __future__ import annotations

import contextlib
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lite_delegate_kernels import UNKNOWN, ArraySpec, KernelInputError
from lite_delegate_kernels._pooling import check_counts
from lite_delegate_kernels._window import SlidingWindow
from lite_delegate_kernels.op_avg_pool_fusion import KERNEL as AVG_POOL_FUSION
from lite_delegate_kernels.op_reshape import KERNEL as RESHAPE
from lite_delegate_kernels.op_split import KERNEL as SPLIT
from lite_delegate_kernels.op_split import MAX_PARTS

from lite_delegate.conformance.judging.case import ConformanceCase
from tests.kernels.test_conformance_cases import CASES, REGISTRY, keywords_of

F32 = np.dtype(np.float32)
MANY = 1 << 22
"""Elements of a list that says nothing of them: a tuple of so many takes 32 MiB."""
FORMS = {
    (c.op_type, tuple(x is not None for x in c.inputs), tuple(sorted(c.attributes)), c.quantization is None): c
    for c in CASES
}
"""A case of each set of inputs and attributes of an operator."""


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.integers(0, 9), st.integers(1, 9))
def test_windows_of_padding_alone_are_found_as_if_counted(
    size: int, kernel: int, stride: int, before: int, windows: int
) -> None:
    counts = [
        sum(0 <= at < size for at in range(i * stride - before, i * stride - before + kernel)) for i in range(windows)
    ]
    axis = SlidingWindow(size, kernel, stride, 1, before, windows)
    if min(counts) > 0:
        check_counts(axis)
        return
    with pytest.raises(KernelInputError, match=f"of {windows} holds only padding"):
        check_counts(axis)


def test_a_pool_over_terabytes_is_inferred_at_once() -> None:
    spec = AVG_POOL_FUSION.infer(ArraySpec(F32, (1, 1 << 44, 1 << 44, 1)), kernel_size=(2, 2), strides=(1, 1))
    assert spec.shape == (1, (1 << 44) - 1, (1 << 44) - 1, 1)


def test_a_rank_that_no_array_has_is_rejected() -> None:
    with pytest.raises(KernelInputError, match="at most 64 dimensions, got 1099511627776"):
        RESHAPE.infer(ArraySpec(F32, (4,)), ArraySpec(np.dtype(np.int32), (1 << 40,)))


def test_parts_that_no_node_has_are_rejected() -> None:
    with pytest.raises(KernelInputError, match=f"at most {MAX_PARTS}, got 2147483647"):
        SPLIT.infer(ArraySpec(F32, (UNKNOWN,)), output_num=2**31 - 1)


@pytest.mark.parametrize("case", FORMS.values(), ids=lambda c: f"{c.op_type}-{c.name}")
def test_a_list_of_unknown_numbers_makes_no_list_as_long(case: ConformanceCase) -> None:
    kernel = REGISTRY.find(case.op_type, quantized=case.quantization is not None)
    assert kernel is not None
    specs = [None if x is None else ArraySpec(x.dtype, x.shape) for x in case.inputs]
    tracemalloc.start()
    for number, spec in enumerate(specs):
        if spec is not None and spec.dtype.kind in "iu":
            given = [*specs[:number], ArraySpec(spec.dtype, (MANY,)), *specs[number + 1 :]]
            with contextlib.suppress(KernelInputError):
                kernel.infer(*given, **keywords_of(kernel, case))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MANY

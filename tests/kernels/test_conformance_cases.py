"""Every conformance case, straight on its reference kernel: no runtime, no delegate."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import (
    ALL_CUSTOM_KERNELS,
    ALL_KERNELS,
    ALL_QUANTIZED_KERNELS,
    STRING_DTYPE,
    ArraySpec,
    KernelRegistry,
    ReferenceKernel,
    spec_of,
)
from lite_delegate_kernels.quantized import AS_STORED

from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.suite import all_cases
from tests.kernels.by_operator import by_operator, failures

DATA_DEPENDENT: frozenset[str] = frozenset()
REGISTRY = KernelRegistry((*ALL_KERNELS, *ALL_CUSTOM_KERNELS), ALL_QUANTIZED_KERNELS)
QUANTIZED = frozenset(k.op_type for k in ALL_QUANTIZED_KERNELS)
CASES = list(all_cases())
OPERATORS = by_operator(CASES)


def keywords_of(kernel: ReferenceKernel, case: ConformanceCase) -> dict[str, Any]:
    """What a kernel is given beside its inputs."""
    count = {"output_count": len(case.outputs)} if kernel.needs_output_count else {}
    quantization = {"quantization": case.quantization} if kernel.needs_quantization else {}
    return {**case.attributes, **count, **quantization}


def kernel_gives_the_expected_outputs(case: ConformanceCase) -> None:
    kernel = REGISTRY.find(case.op_type, quantized=case.quantization is not None)
    assert kernel is not None
    given = [None if x is None else x.copy() for x in case.inputs]
    result = kernel.run(*given, **keywords_of(kernel, case))
    outputs = result if isinstance(result, tuple) else (result,)
    assert [(o.dtype, o.shape) for o in outputs] == [(e.dtype, e.shape) for e in case.outputs]
    for got, want in zip(outputs, case.outputs, strict=True):
        a, b = (y.view(np.uint8) if y.dtype == STRING_DTYPE else y for y in (got, want))
        np.testing.assert_allclose(a, b, rtol=case.rtol, atol=case.atol, equal_nan=True)
    for before, after in zip(case.inputs, given, strict=True):
        if before is not None:
            np.testing.assert_array_equal(before, after, err_msg="the kernel wrote to its input")


def inference_agrees_with_the_expected_outputs(case: ConformanceCase) -> None:
    kernel = REGISTRY.find(case.op_type, quantized=case.quantization is not None)
    assert kernel is not None
    specs = [
        None if x is None else spec_of(x) if i in case.constants else ArraySpec(x.dtype, x.shape)
        for i, x in enumerate(case.inputs)
    ]
    result = kernel.infer(*specs, **keywords_of(kernel, case))
    inferred = result if isinstance(result, tuple) else (result,)
    assert [s.dtype for s in inferred] == [e.dtype for e in case.outputs]
    for spec, want in zip(inferred, case.outputs, strict=True):
        assert spec.shape is None or len(spec.shape) == want.ndim
        assert spec.shape is None or all(d in (-1, w) for d, w in zip(spec.shape, want.shape, strict=True))
        if all(s is None or s.known for s in specs) and case.op_type not in DATA_DEPENDENT:
            assert spec.shape is not None


@pytest.mark.parametrize("op_type", OPERATORS)
@pytest.mark.parametrize("check", [kernel_gives_the_expected_outputs, inference_agrees_with_the_expected_outputs])
def test_cases(op_type: str, check: Callable[[ConformanceCase], None]) -> None:
    assert failures(OPERATORS[op_type], check) == {}


def test_every_kernel_has_at_least_eight_cases() -> None:
    plain = [c.op_type for c in CASES if c.quantization is None or c.op_type not in QUANTIZED]
    counts = {k.op_type: plain.count(k.op_type) for k in ALL_KERNELS}
    assert {op: n for op, n in counts.items() if n < 8} == {}


INTEGER_KERNELS = frozenset(
    {"AddFusion", "AvgPoolFusion", "Conv2DFusion", "Conv2dTransposeFusion", "FullConnection", "MatMulFusion"}
    | {"MaxPoolFusion", "MulFusion", "SubFusion"}
)
"""Operators whose quantized kernel has integer arithmetic of its own."""
WITHOUT_CASES = frozenset({*AS_STORED, "DetectionPostProcess"})
"""Quantized forms that only hand on to the kernel for plain numbers; test_quantized_float.py sees that they do."""


def test_quantized_kernels_have_cases_of_their_own() -> None:
    quantized = [c.op_type for c in CASES if c.quantization is not None]
    least = {op: 8 if op in INTEGER_KERNELS else 2 for op in QUANTIZED - WITHOUT_CASES}
    assert {op: quantized.count(op) for op, n in least.items() if quantized.count(op) < n} == {}


def test_case_names_are_unique_within_an_operator() -> None:
    names = [(c.op_type, c.name) for c in CASES]
    assert len(names) == len(set(names))


def test_every_file_of_a_custom_operator_is_in_all_custom_kernels() -> None:
    import lite_delegate_kernels.custom as room

    files = {m.name for m in pkgutil.iter_modules(room.__path__) if m.name.startswith("op_")}
    assert files == {k.run.__module__.rpartition(".")[2] for k in ALL_CUSTOM_KERNELS}


def test_every_operator_file_is_in_all_kernels() -> None:
    import lite_delegate_kernels

    files = {m.name for m in pkgutil.iter_modules(lite_delegate_kernels.__path__) if m.name.startswith("op_")}
    listed = {k.run.__module__.rpartition(".")[2] for k in ALL_KERNELS}
    assert files == listed

"""Quantized forms that go through floats: the float conformance cases, their numbers rounded to integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import (
    ALL_KERNELS,
    ALL_QUANTIZED_KERNELS,
    ArraySpec,
    KernelInputError,
    KernelRegistry,
    NodeQuantization,
    Quantization,
    spec_of,
)
from lite_delegate_kernels.quantized import AS_STORED, ELEMENT_BY_ELEMENT, MOVEMENT, THROUGH_FLOATS

from lite_delegate.conformance import all_cases
from lite_delegate.conformance.cases.loops.quantized import half_away
from lite_delegate.conformance.judging.case import ConformanceCase

REGISTRY = KernelRegistry(ALL_KERNELS, ALL_QUANTIZED_KERNELS)
IN, OUT = Quantization((0.05,), (-3,)), Quantization((0.04,), (5,))
PER_OPERATOR = 6


def _float_cases() -> list[ConformanceCase]:
    found: dict[str, list[ConformanceCase]] = {}
    for case in all_cases((*THROUGH_FLOATS, *ELEMENT_BY_ELEMENT)):
        arrays = [x for x in (*case.inputs, *case.outputs) if x is not None]
        floats = [x for x in arrays if x.dtype.kind == "f"]
        usable = case.quantization is None and case.inputs[0] is not None and case.inputs[0].dtype == np.float32
        if usable and all(x.dtype == np.float32 and x.size and np.isfinite(x).all() for x in floats):
            found.setdefault(case.op_type, []).append(case)
    return [case for cases in found.values() for case in cases[:: max(1, len(cases) // PER_OPERATOR)]]


CASES = _float_cases()


def _stored(x: np.ndarray | None, constant: bool) -> tuple[np.ndarray | None, Quantization | None]:
    """int8 for a float array; what it holds is looked up by the kernel where it is a constant of one element."""
    if x is None or x.dtype != np.float32 or (constant and x.size == 1):
        return x, None
    return np.clip(np.round(np.clip(x, -99, 99) / 0.05) - 3, -128, 127).astype(np.int8), IN


def _real(q: np.ndarray | None, quantization: Quantization | None) -> np.ndarray | None:
    return q if q is None or quantization is None else ((q.astype(np.int32) + 3) * np.float32(0.05)).astype(np.float32)


def _run(case: ConformanceCase) -> tuple[list[Any], list[Any], NodeQuantization]:
    pairs = [_stored(x, i in case.constants) for i, x in enumerate(case.inputs)]
    outputs = tuple(OUT if y.dtype.kind == "f" else None for y in case.outputs)
    quantization = NodeQuantization(tuple(q for _, q in pairs), outputs)
    return [x for x, _ in pairs], [_real(x, q) for x, q in pairs], quantization


def _keywords(case: ConformanceCase) -> dict[str, Any]:
    kernel = REGISTRY.find(case.op_type)
    assert kernel is not None
    count = {"output_count": len(case.outputs)} if kernel.needs_output_count else {}
    return {**case.attributes, **count}


def _tuple(result: Any) -> Sequence[Any]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.op_type}-{c.name}")
def test_integers_are_those_of_the_float_result(case: ConformanceCase) -> None:
    integers, reals, quantization = _run(case)
    plain, quantized = REGISTRY.find(case.op_type), REGISTRY.find(case.op_type, quantized=True)
    assert plain is not None
    assert quantized is not None
    wanted = _tuple(plain.run(*reals, **_keywords(case)))
    found = _tuple(quantized.run(*integers, quantization=quantization, **_keywords(case)))
    specs = [
        None if x is None else spec_of(x) if i in case.constants else ArraySpec(x.dtype, x.shape)
        for i, x in enumerate(integers)
    ]
    inferred = _tuple(quantized.infer(*specs, quantization=quantization, **_keywords(case)))
    for got, want, spec in zip(found, map(np.asarray, wanted), inferred, strict=True):
        assert spec.dtype == got.dtype
        if want.dtype.kind != "f":
            np.testing.assert_array_equal(got, want)
            continue
        assert (got.dtype, got.shape) == (np.int8, want.shape)
        for index in np.ndindex(want.shape):
            if np.isfinite(want[index]):
                q = min(max(half_away(float(want[index]) / 0.04 + 5), -128), 127)
                assert abs(int(got[index]) - q) <= 1


def test_every_operator_of_the_lists_has_a_kernel_and_float_cases() -> None:
    named = {*THROUGH_FLOATS, *ELEMENT_BY_ELEMENT, *MOVEMENT, *AS_STORED}
    assert named <= {k.op_type for k in ALL_QUANTIZED_KERNELS}
    assert {c.op_type for c in CASES} == {*THROUGH_FLOATS, *ELEMENT_BY_ELEMENT}


def test_missing_parameters_are_named() -> None:
    softmax = REGISTRY.find("Softmax", quantized=True)
    assert softmax is not None
    with pytest.raises(KernelInputError, match="input 0 must have quantization parameters"):
        softmax.infer(ArraySpec(np.dtype(np.int8), (2, 3)), axis=(1,), quantization=NodeQuantization((), (OUT,)))
    convolve = REGISTRY.find("Conv2DFusion", quantized=True)
    assert convolve is not None
    specs = ArraySpec(np.dtype(np.int8), (1, 4, 4, 2)), ArraySpec(np.dtype(np.int8), (3, 1, 1, 2))
    for inputs, outputs, message in [
        ((IN, IN), (), "output 0 must have quantization parameters"),
        ((IN,), (OUT,), "input 1 must have quantization parameters"),
        ((Quantization((1.0, 2.0), (0, 0)), IN), (OUT,), "input 0 must have one scale, has 2"),
        ((Quantization((0.0,), (0,)), IN), (OUT,), "input 0 must have a positive scale, has 0.0"),
        (
            (IN, Quantization((1.0, 2.0), (0, 0))),
            (OUT,),
            "weight must have 1 or 3 scales, one per output channel, has 2",
        ),
    ]:
        with pytest.raises(KernelInputError, match=message):
            convolve.infer(*specs, group=1, quantization=NodeQuantization(inputs, outputs))


def test_sums_beyond_single_precision_are_exact() -> None:
    connect = REGISTRY.find("FullConnection", quantized=True)
    assert connect is not None
    x, weight = np.full((1, 3001), 127, np.int8), np.full((1, 3001), 127, np.int8)
    bias = np.array([7 - 255 * 127 * 3001], np.int32)
    one = Quantization((1.0,), (0,))
    quantization = NodeQuantization((Quantization((1.0,), (-128,)), one, None), (one,))
    got = connect.run(x, weight, bias, has_bias=True, quantization=quantization)
    assert isinstance(got, np.ndarray)
    assert got.tolist() == [[7]]


def test_unsigned_integers() -> None:
    add = REGISTRY.find("AddFusion", quantized=True)
    assert add is not None
    one = Quantization((1.0,), (128,))
    a = np.array([0, 128, 255, 130], np.uint8)
    got = add.run(a, np.array([129], np.uint8), quantization=NodeQuantization((one, one), (one,)))
    assert isinstance(got, np.ndarray)
    assert (got.dtype, got.tolist()) == (np.uint8, [1, 129, 255, 131])

"""Fast kernels against the reference kernels, on every conformance case and on random networks' sizes."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import lite_delegate_fast
import numpy as np
import pytest
from lite_delegate_fast import ALL_FAST_KERNELS, ALL_FAST_QUANTIZED_KERNELS, FastKernel, fast_kernels
from lite_delegate_fast._fused import RealDense
from lite_delegate_kernels import (
    ALL_CUSTOM_KERNELS,
    ALL_KERNELS,
    ALL_QUANTIZED_KERNELS,
    UNKNOWN,
    Array,
    ArraySpec,
    KernelRegistry,
    ReferenceKernel,
    as_tuple,
    spec_of,
)

from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.suite import all_cases
from lite_delegate.ir import make_primitive
from tests.kernels.by_operator import by_operator, failures

REGISTRY = KernelRegistry(ALL_KERNELS, ALL_QUANTIZED_KERNELS)
CUSTOM = {kernel.op_type for kernel in ALL_CUSTOM_KERNELS}
"""Operators that the format has no number for; none of them has a fast kernel."""


def both(case: ConformanceCase) -> tuple[ReferenceKernel, FastKernel, dict[str, Any]] | None:
    """The kernels of a case and their keywords; None where there is no fast one for it."""
    if case.op_type in CUSTOM:
        return None
    reference = REGISTRY.find(case.op_type, quantized=case.quantization is not None)
    assert reference is not None
    attributes = {**make_primitive(case.op_type).attributes(), **case.attributes}
    if reference.needs_output_count:
        attributes["output_count"] = len(case.outputs)
    if reference.needs_quantization:
        attributes["quantization"] = case.quantization
    fast = fast_kernels().find(reference, specs(case), attributes)
    return None if fast is None else (reference, fast, attributes)


def specs(case: ConformanceCase) -> list[ArraySpec | None]:
    return [None if x is None else ArraySpec(x.dtype, x.shape) for x in case.inputs]


CASES = [case for case in all_cases() if both(case) is not None]
OPERATORS = by_operator(CASES)


def run(case: ConformanceCase, which: int) -> tuple[Array, ...]:
    found = both(case)
    assert found is not None
    kernel = found[0] if which == 0 else found[1]
    return as_tuple(kernel.run(*(None if x is None else x.copy() for x in case.inputs), **found[2]))


def fast_kernel_gives_the_expected_outputs(case: ConformanceCase) -> None:
    found = both(case)
    assert found is not None
    given = [None if x is None else x.copy() for x in case.inputs]
    with np.errstate(all="ignore"):
        outputs = as_tuple(found[1].function(specs(case), found[2])(*given))
    for got, want in zip(outputs, case.outputs, strict=True):
        assert type(got) is np.ndarray
        np.testing.assert_allclose(got, want, rtol=case.rtol, atol=case.atol, strict=True)
    for before, after in zip(case.inputs, given, strict=True):
        if before is not None:
            np.testing.assert_array_equal(before, after, err_msg="the kernel wrote to its input")


def constants_give_the_expected_outputs(case: ConformanceCase) -> None:
    found = both(case)
    assert found is not None
    known = [
        None if x is None else ArraySpec(x.dtype, x.shape) if place == 0 else spec_of(x)
        for place, x in enumerate(case.inputs)
    ]
    function = found[1].function(known, found[2])
    for _ in range(2):  # what the first run keeps serves the second
        with np.errstate(all="ignore"):
            outputs = as_tuple(function(*(None if x is None else x.copy() for x in case.inputs)))
        for got, want in zip(outputs, case.outputs, strict=True):
            np.testing.assert_allclose(got, want, rtol=case.rtol, atol=case.atol, strict=True)


def integers_are_equal_and_floats_within_4_units_of_the_largest(case: ConformanceCase) -> None:
    with np.errstate(all="ignore"):
        for slow, fast in zip(run(case, 0), run(case, 1), strict=True):
            if slow.dtype.kind != "f":
                np.testing.assert_array_equal(fast, slow, strict=True)
                continue
            largest = np.abs(slow[np.isfinite(slow)]).max(initial=0)
            np.testing.assert_allclose(fast, slow, 0, 4 * np.finfo(slow.dtype).eps * largest, strict=True)


def layout_makes_no_difference(case: ConformanceCase) -> None:
    found = both(case)
    assert found is not None
    turned = [None if x is None else x.copy(order="F") for x in case.inputs]
    for x in turned:
        if x is not None:
            x.flags.writeable = False
    for got, want in zip(as_tuple(found[1].run(*turned, **found[2])), case.outputs, strict=True):
        np.testing.assert_allclose(got, want, rtol=case.rtol, atol=case.atol, strict=True)


@pytest.mark.parametrize("op_type", OPERATORS)
@pytest.mark.parametrize(
    "check",
    [
        fast_kernel_gives_the_expected_outputs,
        constants_give_the_expected_outputs,
        integers_are_equal_and_floats_within_4_units_of_the_largest,
        layout_makes_no_difference,
    ],
)
def test_cases(op_type: str, check: Callable[[ConformanceCase], None]) -> None:
    assert failures(OPERATORS[op_type], check) == {}


def test_every_fast_kernel_has_cases() -> None:
    plain = {c.op_type for c in CASES if c.quantization is None}
    assert {k.op_type for k in ALL_FAST_KERNELS} == plain


def test_no_operator_is_named_twice_and_each_shares_the_inference() -> None:
    names = [k.op_type for k in ALL_FAST_KERNELS]
    assert len(names) == len(set(names))
    for kernel in ALL_FAST_KERNELS:
        reference = REGISTRY.find(kernel.op_type)
        assert reference is not None
        assert (kernel.output_specs, kernel.dtypes) == (reference.output_specs, reference.dtypes)
    for kernel in ALL_FAST_QUANTIZED_KERNELS:
        reference = REGISTRY.find(kernel.op_type, quantized=True)
        assert reference is not None
        assert (kernel.dtypes, kernel.needs_quantization) == (reference.dtypes, True)


def test_every_operator_file_is_in_the_table() -> None:
    files = {m.name for m in pkgutil.iter_modules(lite_delegate_fast.__path__) if m.name.startswith("op_")}
    modules = {f"op_{m.partition('.op_')[2]}" for m in (_module(k) for k in ALL_FAST_KERNELS) if ".op_" in m}
    partials = {"op_arg_max_fusion", "op_arg_min_fusion", "op_quant_dtype_cast"}
    assert files == {m for m in modules if m in files} | partials


def _module(kernel: FastKernel) -> str:
    module: str = getattr(kernel.run, "__module__", "")
    return module if module.startswith("lite_delegate_fast") else ""


SIZES = np.random.default_rng(5)


def convolutions() -> Iterator[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]]:
    """Inputs, weights and attributes at random: groups, depthwise with and without repetition, strides, dilations."""
    for _ in range(60):
        groups, per_group, times = (int(n) for n in SIZES.integers(1, 5, 3))
        kernel, stride, dilation = ([int(n) for n in SIZES.integers(1, 4, 2)] for _ in range(3))
        size = [int(n) for n in SIZES.integers(9, 20, 2)]
        attributes = {"group": groups, "stride": stride, "dilation": dilation, "activation_type": "RELU6"}
        attributes |= {"pad_list": [int(n) for n in SIZES.integers(0, 3, 4)]}
        yield (2, *size, groups * per_group), (groups * times, *kernel, per_group), attributes


@pytest.mark.parametrize(("x", "weight", "attributes"), list(convolutions()))
def test_convolutions_of_any_kind(x: tuple[int, ...], weight: tuple[int, ...], attributes: dict[str, Any]) -> None:
    arrays = [SIZES.standard_normal(shape, np.float32) for shape in (x, weight, weight[:1])]
    reference = REGISTRY.find("Conv2DFusion")
    assert reference is not None
    fast = fast_kernels().find(reference, [ArraySpec(a.dtype, a.shape) for a in arrays], attributes)
    assert fast is not None
    np.testing.assert_allclose(fast.run(*arrays, **attributes), reference.run(*arrays, **attributes), 1e-5, 1e-5)


def bound(op_type: str, shapes: list[tuple[int, ...] | None], dtype: str = "float32", **attributes: Any) -> Any:
    """What a node is bound to, and the function of its reference kernel."""
    reference = REGISTRY.find(op_type)
    assert reference is not None
    inputs = [ArraySpec(np.dtype(dtype), shape) for shape in shapes]
    fast = fast_kernels().find(reference, inputs, {**make_primitive(op_type).attributes(), **attributes})
    return None if fast is None else fast.function(inputs, attributes)


def test_an_addition_is_bound_to_numpy_itself() -> None:
    assert bound("AddFusion", [(2, 3), (3,)]) is np.add
    assert bound("AddFusion", [(UNKNOWN, 3), (1,)], "int64") is np.add
    assert bound("Sqrt", [(4,)]) is np.sqrt


@pytest.mark.parametrize(
    ("shapes", "dtype", "attributes"),
    [
        ([(), ()], "float32", {}),  # numbers come of these, not arrays
        ([(3,), None], "float32", {}),
        ([(3,), (3,)], "float16", {}),
        ([(3,), (3,)], "int8", {}),  # may carry what they stand for
        ([(3,), (3,)], "float32", {"activation_type": "RELU6"}),
        ([(UNKNOWN,), (3,)], "float32", {"activation_type": "RELU"}),
    ],
)
def test_what_is_not_certain_is_not_bound(shapes: Any, dtype: str, attributes: dict[str, Any]) -> None:
    function = bound("AddFusion", shapes, dtype, **attributes)
    x = np.ones(() if () in shapes else 3, dtype)
    result = np.array([2] * 3 if x.ndim else 2, dtype)
    assert function is not np.add
    if function is not None:
        np.testing.assert_array_equal(function(x, x), result, strict=True)


def test_a_bound_relu_keeps_its_zeros() -> None:
    function = bound("SubFusion", [(2, 3), (3,)], activation_type="RELU")
    x = np.array([[1, -2, np.nan], [-1, 5, 0]], np.float32)
    for _ in range(2):
        np.testing.assert_array_equal(function(x, np.ones(3, np.float32)), [[0, 0, np.nan], [0, 4, 0]])


def test_a_sum_that_does_not_broadcast_is_the_error_of_the_reference_kernel() -> None:
    reference = REGISTRY.find("AddFusion")
    assert reference is not None
    a, b = np.ones(3, np.float32), np.ones(2, np.float32)
    messages = []
    for function in (reference.run, bound("AddFusion", [(UNKNOWN,), (UNKNOWN,)])):
        with pytest.raises(ValueError, match="broadcast") as caught:
            function(a, b)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("group", [1, 2, 6])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_convolution_with_constants_takes_images_of_several_sizes(group: int, dtype: str) -> None:
    numbers = np.random.default_rng(group)
    weight, bias = numbers.standard_normal((12, 3, 2, 6 // group)), numbers.standard_normal(12)
    arrays = [each.astype(dtype) for each in (weight, bias)]
    attributes: dict[str, Any] = {
        "group": group,
        "stride": [2, 1],
        "dilation": [1, 2],
        "pad_list": [1, 0, 2, 1],
        "activation_type": "RELU6",
        "pad_mode": "PAD",
    }
    found = REGISTRY.find("Conv2DFusion")
    assert found is not None
    fast = fast_kernels().find(found, [ArraySpec(np.dtype(dtype), None)], attributes)
    assert fast is not None
    function = fast.function([ArraySpec(np.dtype(dtype), None), *map(spec_of, arrays)], attributes)
    assert isinstance(function, RealDense)
    for size in ((1, 9, 8, 6), (2, 5, 7, 6), (2, 5, 7, 6), (3, 9, 8, 6), (1, 80, 300, 6)):
        x = numbers.standard_normal(size).astype(dtype)
        want = np.asarray(found.run(x, *arrays, **attributes))
        np.testing.assert_allclose(function(x, *arrays), want, rtol=2e-3, atol=2e-5, strict=True)


def test_a_weight_that_varies_is_laid_out_at_every_run() -> None:
    numbers = np.random.default_rng(5)
    x, weight = (numbers.standard_normal(shape, np.float32) for shape in ((1, 6, 6, 4), (4, 3, 3, 1)))
    found = REGISTRY.find("Conv2DFusion")
    assert found is not None
    specs = [ArraySpec(each.dtype, each.shape) for each in (x, weight)]
    fast = fast_kernels().find(found, specs, {})
    assert fast is not None
    function = fast.function(specs, {"group": 4})
    for _ in range(2):
        np.testing.assert_allclose(function(x, weight), np.asarray(found.run(x, weight, group=4)), rtol=1e-5, atol=1e-5)
        weight += 1

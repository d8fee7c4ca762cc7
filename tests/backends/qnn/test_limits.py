"""Kernels that the HTP must not get, and kernels beside them that it may."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest

from lite_delegate.backends.qnn.limits import rejection
from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.judging.case_graph import case_graph
from lite_delegate.conformance.suite import all_cases
from lite_delegate.conformance.trials.trial import build
from lite_delegate.tensors.tensor import Array
from tests.backends.onnxruntime.trials.kernels import Asked


def reason(
    op_type: str, inputs: list[Array], outputs: list[Array], constants: Collection[int] = (), **attributes: Any
) -> str:
    """The reason by which a kernel is refused, "" for none.

    Args:
        op_type: the kernel's operator.
        inputs: its inputs.
        outputs: arrays of the types and shapes of its outputs.
        constants: the positions of constant inputs.
        attributes: its attributes.
    """
    return reason_of(ConformanceCase("one", op_type, tuple(inputs), tuple(outputs), attributes, frozenset(constants)))


def reason_of(case: ConformanceCase) -> str:
    """The reason by which the kernel of a case is refused, "" for none."""
    asked = Asked()
    build(case_graph(case), asked)
    (kernel,) = asked.kernels
    found = rejection(kernel)
    return "" if found is None else found.reason


def zeros(dtype: str, *shape: int) -> Array:
    return np.zeros(shape, dtype)


@pytest.mark.parametrize(
    ("op_type", "dtype", "why"),
    [
        ("Abs", "int64", "computes 64-bit integers in 32 bits"),
        ("Abs", "uint32", "takes integers of 32 bits for signed ones"),
        ("Abs", "int32", ""),
        ("Square", "int32", "multiplies and reduces integers in floating point"),
        ("Square", "float32", ""),
    ],
)
def test_integers_that_are_computed(op_type: str, dtype: str, why: str) -> None:
    found = reason(op_type, [zeros(dtype, 2, 3)], [zeros(dtype, 2, 3)])
    assert why in found
    assert bool(why) == bool(found)


def test_integers_that_are_compared() -> None:
    values, places = zeros("int32", 2, 3), zeros("int32", 2)
    assert "compares integers in floating point" in reason("ArgMaxFusion", [values], [places], axis=1)
    assert not reason("ArgMaxFusion", [zeros("float32", 2, 3)], [places], axis=1)


@pytest.mark.parametrize(
    ("to", "dtype", "why"), [(32, "int8", "to the nearest"), (43, "float32", ""), (35, "int64", "")]
)
def test_casts_to_fewer_bits(to: int, dtype: str, why: str) -> None:
    found = reason("Cast", [zeros("int32", 3), np.array(to, np.int32)], [zeros(dtype, 3)], [1])
    assert why in found
    assert bool(why) == bool(found)


def test_a_kernel_without_outputs() -> None:
    assert not reason("Assert", [np.array(True), zeros("float32", 2)], [])


def test_inputs_without_elements() -> None:
    empty, full = zeros("float32", 0, 3), zeros("float32", 2, 3)
    assert "fails at a tensor without any" in reason("Concat", [empty, full], [full], axis=0)
    assert not reason("Concat", [empty, empty], [empty], axis=0)


def test_elementwise_operators_of_many_dimensions() -> None:
    assert "at most 4 dimensions" in reason("Abs", [zeros("float32", 1, 1, 1, 1, 2)], [zeros("float32", 1, 1, 1, 1, 2)])
    assert not reason("Abs", [zeros("float32", 1, 1, 1, 2)], [zeros("float32", 1, 1, 1, 2)])


def test_reductions_of_many_dimensions() -> None:
    axes = np.array([0], np.int32)
    inputs, outputs = [zeros("float32", 2, 1, 1, 1, 2), axes], [zeros("float32", 1, 1, 1, 2)]
    assert "at most 4 dimensions" in reason("ReduceFusion", inputs, outputs, [1], mode="ReduceSum")
    assert not reason(
        "ReduceFusion", [zeros("float32", 2, 1, 1, 2), axes], [zeros("float32", 1, 1, 2)], [1], mode="ReduceSum"
    )


def test_bases_of_powers_that_are_stretched() -> None:
    one, many = zeros("float32", 3), zeros("float32", 2, 3)
    assert "stretches it wrongly" in reason("PowFusion", [one, many], [many])
    assert not reason("PowFusion", [many, one], [many])


def test_paddings_of_integers() -> None:
    pads = np.array([[1, 2], [0, 3]], np.int32)
    assert "pads it wrongly" in reason("PadFusion", [zeros("int8", 2, 3), pads], [zeros("int8", 5, 6)], [1])
    assert not reason("PadFusion", [zeros("float32", 2, 3), pads], [zeros("float32", 5, 6)], [1])
    pads = np.array([[0, 0], [0, 3]], np.int32)
    assert not reason("PadFusion", [zeros("int8", 2, 3), pads], [zeros("int8", 2, 6)], [1])


@pytest.mark.parametrize(
    ("name", "why"),
    [("int8_pads_beyond_kernel", "no wider than the kernel"), ("pads_beyond_kernel", ""), ("int8_pad_1", "")],
)
def test_paddings_of_convolutions(name: str, why: str) -> None:
    (case,) = (each for each in all_cases(["Conv2DFusion"]) if each.name == name)
    found = reason_of(case)
    assert why in found
    assert bool(why) == bool(found)

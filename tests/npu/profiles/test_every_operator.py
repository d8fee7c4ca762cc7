"""No operator on the list of a profile is one that it can never claim."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest

from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.suite import all_cases
from lite_delegate.delegate import Kernel, Supported
from lite_delegate.ir.types.data_type import from_numpy
from lite_delegate.npu.operators.claims import OPERATORS, claim
from lite_delegate.npu.profiles import load_profile, profile_names
from lite_delegate.tensors.tensor import Tensor
from tests.npu.graphs import const, node_with_outputs, variable
from tests.npu.profiles.test_kirin import ROWS

QUANTIZED_ALONE = {"QuantDTypeCast"}
"""Operators whose tensors carry quantization parameters, which kernels of float cases have not."""


@cache
def kernels() -> dict[str, list[Kernel]]:
    """The kernels of the conformance cases on plain numbers, and those of the phone NPU's rows, by operator."""
    found: dict[str, list[Kernel]] = {}
    for kernel in (*(k for _, k, code in ROWS if code is None), *of_cases()):
        found.setdefault(kernel.name, []).append(kernel)
    return found


def of_cases() -> Iterator[Kernel]:
    for case in all_cases():
        if case.quantization is None and case.op_type in OPERATORS:
            yield kernel_of(case)


def kernel_of(case: ConformanceCase) -> Kernel:
    inputs = [tensor_of(case, i) for i in range(len(case.inputs))]
    made = node_with_outputs(case.op_type, inputs, [a.shape for a in case.outputs], **case.attributes)
    for output, array in zip(made.outputs, case.outputs, strict=True):
        output.dtype = from_numpy(array.dtype)
    return made


def tensor_of(case: ConformanceCase, position: int) -> Tensor | None:
    array = case.inputs[position]
    if array is None:
        return None
    name = f"x{position}"
    return const(name, array) if position in case.constants else variable(name, array.shape, from_numpy(array.dtype))


@pytest.mark.parametrize("name", profile_names())
def test_each_operator_is_claimed_at_least_once(name: str) -> None:
    profile = load_profile(name)
    operators = set(OPERATORS) if profile.operators is None else profile.operators
    never = {op for op in operators if not any(isinstance(claim(k, profile), Supported) for k in kernels().get(op, ()))}
    assert never - QUANTIZED_ALONE == set()


def test_the_default_says_how_many_operators_it_has() -> None:
    profile = load_profile("generic")
    assert profile.operators is None
    assert int(re.findall(r"all (\d+) operators", profile.description)[0]) == len(OPERATORS)

"""Conformance cases with open dimensions: what runs with known shapes builds without them, and gives the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import pytest

from lite_delegate import Model
from lite_delegate.conformance import case_graph
from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.judging.case_graph import variable_inputs
from lite_delegate.conformance.suite import all_cases

Opened = Sequence[tuple[str, int]]
"""Input and dimension."""
CASES = [case for case in all_cases() if any(x.ndim for x in variable_inputs(case).values())]
OPERATORS = sorted({case.op_type for case in CASES})


def opened(case: ConformanceCase) -> Iterator[Opened]:
    """Each dimension of each input, the first ones of all inputs, and all of them."""
    inputs = variable_inputs(case)
    each = [(name, axis) for name, x in inputs.items() for axis in range(x.ndim)]
    return chain([[one] for one in each], [[(name, 0) for name, x in inputs.items() if x.ndim], each])


def check(case: ConformanceCase, dims: Opened) -> None:
    graph = case_graph(case)
    for value in graph.inputs:
        value.shape = tuple(-1 if (value.name, axis) in dims else d for axis, d in enumerate(value.shape or ()))
    for value in graph.outputs:
        value.shape = None
    model = Model()
    model.build_from_graph(graph)
    found = model.predict(variable_inputs(case))
    for tensor, want in zip(found, case.outputs, strict=True):
        if want.dtype.kind != "V":
            np.testing.assert_allclose(tensor.data, want, rtol=case.rtol, atol=case.atol, equal_nan=True)


@pytest.mark.parametrize("operator", OPERATORS)
def test_some_dimensions_of_one_case(operator: str) -> None:
    cases = [case for case in CASES if case.op_type == operator]
    case = cases[len(operator) % len(cases)]
    for dims in list(opened(case))[-3:]:
        check(case, dims)


@pytest.mark.nightly
@pytest.mark.parametrize("operator", OPERATORS)
def test_all_dimensions_of_all_cases(operator: str) -> None:
    for case in CASES:
        if case.op_type == operator:
            for dims in opened(case):
                check(case, dims)

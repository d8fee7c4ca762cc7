"""ONNX's node test cases, each run on our reference kernels."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import onnx
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

from .function_bodies import BY_FUNCTION_BODY
from .node import Refused, Why
from .running import MAPPINGS, as_arrays, qualified, run_model

ONNX_VERSION = "1.23.2"
"""The version of ONNX whose cases the document counts."""

PRECISION = dict.fromkeys(
    ("test_attention_4d_causal_fp16", "test_attention_4d_causal_fp16_expanded"),
    "float16, two units in the last place apart; ours are nearer the exact values",
)
"""Cases whose expected values are further from the exact ones than ours; a test measures both distances."""


@dataclass(frozen=True)
class Case:
    """One case of the suite.

    Attributes:
        name: ONNX's name of it.
        operator: the operator under test.
        expanded: whether the model holds the operator's function body in place of the operator.
        model: what runs.
        data: pairs of inputs and expected outputs.
        rtol: the relative tolerance.
        atol: the absolute tolerance.
    """

    name: str
    operator: str
    expanded: bool
    model: onnx.ModelProto
    data: Sequence[tuple[Sequence[Any], Sequence[Any]]]
    rtol: float
    atol: float

    @property
    def mapped(self) -> bool:
        """Whether there is a mapping for what the model holds, or for what it is made of."""
        return self.expanded or self.operator in MAPPINGS or self.operator in BY_FUNCTION_BODY


@functools.cache
def cases() -> tuple[Case, ...]:
    """All node cases, in ONNX's order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = load_model_tests(kind="node")
    return tuple(_case(test) for test in tests)


def _case(test: TestCase) -> Case:
    assert test.model is not None
    assert test.data_sets is not None
    expanded = "_expanded" in test.name
    operator = "function bodies" if expanded else qualified(test.model.graph.node[-1])
    return Case(test.name, operator, expanded, test.model, test.data_sets, test.rtol, test.atol)


def run_case(case: Case) -> list[str]:
    """Runs a case and compares by ONNX's own rules and tolerances.

    Returns:
        The operator types of the kernels that ran.

    Raises:
        Refused: there is no honest way to run it on our kernels.
        AssertionError: a kernel's numbers, dtypes or shapes are wrong.
    """
    calls: list[str] = []
    for given, wanted in case.data:
        names = [value.name for value in case.model.graph.input]
        inputs, outputs = as_arrays(given), as_arrays(wanted)
        found = run_model(case.model, dict(zip(names, inputs, strict=True)), calls)
        if case.name in PRECISION:
            raise Refused(Why.PRECISION, PRECISION[case.name])
        Runner.assert_similar_outputs(outputs, found, rtol=case.rtol, atol=case.atol)
    return calls

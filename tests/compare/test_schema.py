"""The JSON of comparisons is what its schema says."""

from __future__ import annotations

import json
from dataclasses import fields

import numpy as np
import pytest

from lite_delegate.compare import (
    CompareOptions,
    Comparison,
    ComparisonReport,
    Culprit,
    Loss,
    Metrics,
    Outcome,
    OutputUse,
    PlanCost,
    Repair,
    TensorComparison,
    UsableLimits,
    compare,
    comparison_schema,
)
from tests.compare.planted import Planted, Raising, built, scaled
from tests.runtime.graphs import chain

jsonschema = pytest.importorskip("jsonschema")
X = {"x": np.linspace(0.5, 3, 6, dtype=np.float32).reshape(2, 3)}


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(comparison_schema())


@pytest.mark.parametrize(
    "delegate",
    [
        Planted(),
        Planted({"n1": scaled}),
        Planted({"n1": lambda y: y * np.float32(np.inf)}),
        Planted({"n1": lambda y: y.T}),
        Raising({"n1": scaled}),
        Planted(names=()),
    ],
    ids=["right", "wrong", "infinite", "shape", "raising", "nothing"],
)
@pytest.mark.parametrize("rtol", [None, 0.1])
def test_reports_are_valid(delegate: Planted, rtol: float | None) -> None:
    report = compare(built(chain(3), delegate), X, CompareOptions(rtol, kernels=True, bisect=True))
    jsonschema.Draft202012Validator(comparison_schema()).validate(json.loads(report.to_json()))


@pytest.mark.parametrize(
    ("name", "data_class", "computed"),
    [
        ("", ComparisonReport, {"outcome", "passed", "explained", "out_of_range", "usable", "unusable"}),
        ("comparison", Comparison, set()),
        ("tensor", TensorComparison, set()),
        ("metrics", Metrics, set()),
        ("culprit", Culprit, set()),
        ("use", OutputUse, set()),
        ("limits", UsableLimits, set()),
        ("loss", Loss, set()),
        ("repair", Repair, set()),
        ("cost", PlanCost, set()),
    ],
    ids=["report", "comparison", "tensor", "metrics", "culprit", "use", "limits", "loss", "repair", "cost"],
)
def test_the_schema_has_each_key_of_the_data_classes(name: str, data_class: type, computed: set[str]) -> None:
    schema = comparison_schema()
    described = schema["$defs"][name] if name else schema
    keys = {f.name for f in fields(data_class)} | computed
    assert set(described["properties"]) == set(described["required"]) == keys


def test_the_schema_has_each_outcome() -> None:
    assert comparison_schema()["$defs"]["outcome"]["enum"] == [outcome.value for outcome in Outcome]

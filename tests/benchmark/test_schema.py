"""The JSON of benchmarks is what its schema says."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Model, PartitionOptions
from lite_delegate.benchmark import AUTO, BenchmarkOptions, RunLimits, TimePart, benchmark, benchmark_schema
from lite_delegate.npu import NPUDelegate
from lite_delegate.testing.delegates import NamedDelegate
from tests.compare.planted import Raising, built, scaled
from tests.runtime.graphs import chain

jsonschema = pytest.importorskip("jsonschema")
X = {"x": np.ones((2, 3), np.float32)}


def closed(schema: Any) -> Any:
    """The schema without room for keys that it does not describe."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    return made | {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else made


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(benchmark_schema())


@pytest.mark.parametrize("requests", [AUTO, 2])
@pytest.mark.parametrize("delegate", [None, NPUDelegate()], ids=["CPU", "NPU"])
def test_figures_of_requests_in_flight_are_described(delegate: NPUDelegate | None, requests: int) -> None:
    options = BenchmarkOptions(warmup=0, limits=RunLimits(3, None), requests=requests)
    report = benchmark(built(chain(4), delegate), X, options).report
    jsonschema.Draft202012Validator(closed(benchmark_schema())).validate(json.loads(report.to_json()))


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize("profile", [False, True])
@pytest.mark.parametrize("kind", ["none", "npu", "failing"])
def test_reports_are_valid_and_all_keys_described(kind: str, profile: bool, runs: int) -> None:
    delegate = {"none": None, "npu": NPUDelegate(), "failing": Raising({"n1": scaled}, names=("n1", "n2"))}[kind]
    model = built(chain(4), delegate)
    options = BenchmarkOptions(warmup=0, limits=RunLimits(runs, None), profile=profile)
    with pytest.warns() if kind == "failing" else nullcontext():
        report = benchmark(model, X, options).report
    jsonschema.Draft202012Validator(closed(benchmark_schema())).validate(json.loads(report.to_json()))


def test_the_plans_among_which_the_fastest_was_looked_for_are_described_and_shown() -> None:
    context, model = Context(), Model()
    context.set_delegates([NamedDelegate(["n0", "n1", "n2", "n3"])])
    context.partition = PartitionOptions(placement="fastest")
    model.build_from_graph(chain(4), context)
    report = benchmark(model, X, BenchmarkOptions(warmup=0, limits=RunLimits(1, None))).report
    data = json.loads(report.to_json())
    jsonschema.Draft202012Validator(closed(benchmark_schema())).validate(data)
    assert [each["plan"] for each in data["alternatives"]] == ["named", "CPU"]
    lines = [line for line in report.to_text().splitlines() if line.startswith("fastest")]
    assert [line.split()[1] for line in lines] == ["named:", "CPU:", "found"]


def test_the_schema_has_each_part() -> None:
    schema = benchmark_schema()["$defs"]
    parts = [part.key for part in TimePart]
    assert schema["profile"]["properties"]["parts"]["items"]["properties"]["part"]["enum"] == parts
    assert schema["subgraph"]["properties"]["parts_ns"]["propertyNames"]["enum"] == parts

"""The published JSON Schema: reports of real and odd models are valid, and it knows each key of the data classes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from lite_delegate import Context, DataType, Model, PartitionOptions, RejectCode
from lite_delegate.demo import model_path
from lite_delegate.ir import Graph, Node, Value, make_primitive
from lite_delegate.npu import NPUDelegate
from lite_delegate.report import (
    NodeError,
    PartitionReport,
    Verdict,
    WhatIf,
    WhatIfKind,
    WhatIfPart,
    partition_report,
    report_schema,
)
from lite_delegate.report.accuracy.digits import DigitRisk
from lite_delegate.runtime.records import AlternativeRecord, CalibrationRecord
from lite_delegate.runtime.records.records import (
    DelegateRecord,
    FailureRecord,
    NodeRecord,
    SubgraphRecord,
    SubgraphStatus,
    TensorRecord,
)
from lite_delegate.testing.delegates import NamedDelegate
from tests.report.test_partition_report import model_of, report_of
from tests.runtime.graphs import chain

jsonschema = pytest.importorskip("jsonschema")


def demo_report() -> PartitionReport:
    context = Context()
    context.set_delegate(NPUDelegate())
    model = Model()
    model.build_from_file(model_path(), context=context)
    return partition_report(model)


def without_delegate() -> PartitionReport:
    return report_of(None)


def with_two_subgraphs() -> PartitionReport:
    return report_of(NamedDelegate(["n0", "n1", "n3"]))


def with_options() -> PartitionReport:
    options = PartitionOptions(
        min_kernels=0,
        allow_types=frozenset({"b", "a"}),
        affinity={"n0": "CPU"},
        groups=(frozenset({"y", "x"}), frozenset({"z"})),
    )
    return replace(with_two_subgraphs(), options=options)


def with_what_if() -> PartitionReport:
    model = model_of(NamedDelegate(["n0", "n3"]))
    return partition_report(model, what_if=True)


def of_open_shape() -> PartitionReport:
    x, y = Value("", DataType.FLOAT32, (-1, 3)), Value("", DataType.FLOAT32, None)
    node = Node("abs", make_primitive("Abs"), [x], [y])
    return report_of(NamedDelegate(["abs"]), Graph("open", [x], [y], [node]))


def of_infinite_attributes() -> PartitionReport:
    x, y = Value("x", DataType.FLOAT32, (2,)), Value("y", DataType.FLOAT32, None)
    node = Node("clip", make_primitive("Clip", min=float("-inf"), max=float("inf")), [x], [y])
    return report_of(None, Graph("infinite", [x], [y], [node]))


MAKERS = (
    demo_report,
    without_delegate,
    with_two_subgraphs,
    with_options,
    with_what_if,
    of_open_shape,
    of_infinite_attributes,
)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_reports_are_valid_and_come_back_equal(make: Callable[[], PartitionReport]) -> None:
    report = make()
    text = report.to_json()
    jsonschema.Draft202012Validator(report_schema()).validate(json.loads(text))
    again = PartitionReport.from_json(text)
    assert again == report
    assert again.to_json() == text


@pytest.mark.shared
@pytest.mark.parametrize("name", ["lenet_tod_infer.ms", "ds_cnn_kws_f32.tflite", "ds_cnn_kws_int8.tflite"])
def test_reports_of_real_models_are_valid(name: str, shared_models: Path) -> None:
    context = Context()
    context.set_delegate(NPUDelegate())
    model = Model()
    model.build_from_file(shared_models / name, context=context)
    report = partition_report(model)
    jsonschema.Draft202012Validator(report_schema()).validate(json.loads(report.to_json()))
    assert PartitionReport.from_json(report.to_json()) == report


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(report_schema())


def definition(name: str) -> dict[str, Any]:
    schema = report_schema()
    return schema if name == "" else schema["$defs"][name]


COMPUTED = {"schema_version", "coverage", "boundary_bytes", "estimated_us", "verdict", "minimum_proof_labels"}


@pytest.mark.parametrize(
    ("name", "data_class", "computed"),
    [
        ("", PartitionReport, COMPUTED),
        ("node", NodeRecord, set()),
        ("subgraph", SubgraphRecord, {"labels"}),
        ("tensor", TensorRecord, set()),
        ("delegate", DelegateRecord, set()),
        ("options", PartitionOptions, set()),
        ("what_if", WhatIf, {"bytes_delta_percent", "time_delta_percent"}),
        ("what_if_part", WhatIfPart, set()),
        ("verdict", Verdict, {"text"}),
        ("failure", FailureRecord, set()),
        ("alternative", AlternativeRecord, set()),
        ("calibration", CalibrationRecord, set()),
        ("digit_risk", DigitRisk, set()),
        ("node_error", NodeError, set()),
    ],
    ids=[
        "report",
        "node",
        "subgraph",
        "tensor",
        "delegate",
        "options",
        "what_if",
        "what_if_part",
        "verdict",
        "failure",
        "alternative",
        "calibration",
        "digit_risk",
        "node_error",
    ],
)
def test_the_schema_has_each_key_of_the_data_classes(name: str, data_class: type, computed: set[str]) -> None:
    """Who adds a field adds its key to the schema, with its type and a description."""
    described = definition(name)
    keys = {f.name for f in fields(data_class)} | computed
    assert set(described["properties"]) == keys
    assert set(described["required"]) == keys
    assert all("description" in d or "$ref" in d for d in described["properties"].values())


def test_the_schema_has_each_word_of_the_enums() -> None:
    assert definition("code")["enum"] == [code.value for code in RejectCode]
    assert definition("subgraph")["properties"]["status"]["enum"] == [status.value for status in SubgraphStatus]
    assert definition("what_if")["properties"]["kind"]["enum"] == [kind.value for kind in WhatIfKind]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema_version",), 2),
        (("kernels_total",), -1),
        (("nodes", 0, "code"), "WHATEVER"),
        (("nodes", 0, "inputs", 0, "shape"), [-2]),
        (("subgraphs", 0, "boundary_bytes"), "much"),
        (("options", "min_kernels"), -1),
    ],
    ids=["version", "count", "code", "shape", "bytes", "limit"],
)
def test_the_schema_rejects(path: tuple[str | int, ...], value: object) -> None:
    data = json.loads(with_two_subgraphs().to_json())
    *outer, last = path
    inside: Any = data
    for key in outer:
        inside = inside[key]
    inside[last] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(report_schema()).validate(data)


def test_chains_of_any_claims_are_valid() -> None:
    for number in range(16):
        names = [f"n{i}" for i in range(4) if number >> i & 1]
        data = report_of(NamedDelegate(names), chain(4)).to_dict()
        jsonschema.Draft202012Validator(report_schema()).validate(data)

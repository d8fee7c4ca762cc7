"""Errors of nodes, from comparisons of delegates with planted faults."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import InputError
from lite_delegate.compare import CompareOptions, Comparison, ComparisonReport, Outcome, compare
from lite_delegate.report import PartitionReport, partition_report, read_comparison
from tests.compare.planted import Planted, Raising, built, scaled
from tests.runtime.graphs import chain

X = {"x": np.linspace(0.5, 3, 6, dtype=np.float32).reshape(2, 3)}
FIVE_PERCENT = -20 * math.log10(0.05)


def reported(delegate: Planted, *, kernels: bool = False, bisect: bool = False) -> PartitionReport:
    model = built(chain(4), delegate)
    comparison = compare(model, X, CompareOptions(kernels=kernels, bisect=bisect))
    return partition_report(model).with_errors(comparison.to_dict())


def scopes(report: PartitionReport) -> dict[str, str]:
    return {error.node: error.scope for error in report.errors}


def test_each_kernel_has_its_own_error() -> None:
    report = reported(Planted({"n1": scaled}), kernels=True)
    found = {error.node: error for error in report.errors}
    assert set(scopes(report).values()) == {"kernel"}
    assert {name for name, error in found.items() if error.noise == 0} == {"n0", "n2", "n3"}
    assert found["n1"].snr_db == pytest.approx(FIVE_PERCENT, rel=1e-4)
    assert found["n1"].noise == pytest.approx(0.05, rel=1e-4)
    assert (found["n1"].text, found["n0"].text) == ("26 dB, by itself", "exact, by itself")
    assert found["n1"].outcome == "wrong"


def test_without_errors_of_kernels_nodes_have_that_of_their_subgraph() -> None:
    """n1 is on the CPU, which no error is known of."""
    report = reported(Planted({"n3": scaled}, names=("n0", "n2", "n3")))
    assert scopes(report) == {"n0": "subgraph", "n2": "subgraph", "n3": "subgraph"}
    assert {error.node for error in report.errors if error.noise} == {"n2", "n3"}


def test_what_splitting_found_counts_more_than_the_subgraph() -> None:
    report = reported(Planted({"n1": scaled}), bisect=True)
    assert scopes(report) == {"n0": "subgraph", "n1": "stretch", "n2": "subgraph", "n3": "subgraph"}


@pytest.mark.parametrize("delegate", [Raising({"n1": scaled}), Planted({"n1": lambda y: y * np.float32(np.nan)})])
def test_nothing_is_left_of_a_kernel_that_fails_or_gives_no_numbers(delegate: Planted) -> None:
    report = reported(delegate, kernels=True)
    found = report.errors_by_node()["", "n1"]
    assert (found.noise, found.snr_db, found.text) == (None, -100, "nothing left, by itself")


def test_of_several_runs_the_worst_counts() -> None:
    model = built(chain(2), Planted({"n1": scaled}))
    comparison = compare(model, X, CompareOptions(kernels=True))
    (run,) = comparison.subgraphs
    right = replace(run, parts=tuple(replace(part, tensors=run.parts[0].tensors) for part in run.parts))
    for subgraphs in ((run, right), (right, run)):
        twice = replace(comparison, subgraphs=subgraphs)
        errors = partition_report(model).with_errors(twice.to_dict()).errors_by_node()
        assert errors["", "n1"].snr_db == pytest.approx(FIVE_PERCENT, rel=1e-4)


def test_kernels_that_were_not_compared_have_no_error_of_their_own() -> None:
    model = built(chain(2), Planted())
    comparison = compare(model, X)
    (run,) = comparison.subgraphs
    skipped = Comparison("n0", "Abs", "", ("n0",), 1, Outcome.SKIPPED, "no kernel")
    report = partition_report(model).with_errors(
        replace(comparison, subgraphs=(replace(run, parts=(skipped,)),)).to_dict()
    )
    assert scopes(report) == {"n0": "subgraph", "n1": "subgraph"}
    assert partition_report(model).with_errors(replace(comparison, subgraphs=(skipped,)).to_dict()).errors == ()


def test_errors_come_back_from_json() -> None:
    report = reported(Planted({"n1": lambda y: y * np.float32(np.nan)}), kernels=True)
    assert PartitionReport.from_json(report.to_json()) == report


def planted_comparison() -> dict[str, Any]:
    return compare(built(chain(2), Planted()), X).to_dict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delegate": "npu"}, "of delegate 'npu', the report of 'planted'"),
        ({"subgraphs": 3}, "comparison.subgraphs: expected a list, found 3"),
    ],
)
def test_another_comparison_is_an_error(change: dict[str, Any], message: str) -> None:
    report = partition_report(built(chain(2), Planted()))
    with pytest.raises(InputError, match=message):
        report.with_errors({**planted_comparison(), **change})


def test_a_comparison_of_another_model_is_an_error() -> None:
    report = partition_report(built(chain(2), Planted()))
    text = json.dumps(planted_comparison()).replace('"n0"', '"m0"').replace('"n1"', '"m1"')
    with pytest.raises(InputError, match=r"the report's delegates run none of its nodes, such as 'm0'"):
        report.with_errors(json.loads(text))


def test_a_ratio_that_is_no_number_is_an_error() -> None:
    data = compare(built(chain(2), Planted({"n1": scaled})), X).to_dict()
    data["subgraphs"][0]["tensors"][0]["own"]["snr_db"] = "much"
    with pytest.raises(InputError, match="'snr_db' must be a number, 'inf' or '-inf', found 'much'"):
        partition_report(built(chain(2), Planted())).with_errors(data)


def test_a_comparison_is_read_from_a_file(tmp_path: Path) -> None:
    comparison = compare(built(chain(2), Planted()), X)
    path = tmp_path / "comparison.json"
    path.write_text(comparison.to_json())
    assert read_comparison(path) == comparison.to_dict()
    path.write_text("[]")
    with pytest.raises(InputError, match=r"comparison: expected an object, found list"):
        read_comparison(path)
    path.write_text("{")
    with pytest.raises(InputError, match="it is no JSON"):
        read_comparison(path)


def test_a_comparison_with_nothing_compared_gives_no_errors() -> None:
    report = partition_report(built(chain(2), Planted()))
    nothing = ComparisonReport("", "planted", None, None, (), ())
    assert report.with_errors(nothing.to_dict()).errors == ()

"""``--no-rewrite``, and what a report says of what was rewritten."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest

from tests.commands import invoke
from tests.passes.limits.narrow import ATTENTIONS, attention


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "attention.onnx"
    onnx.save(attention(ATTENTIONS[0]), str(path))
    return path


def test_attention_is_one_subgraph_and_the_report_says_why(model: Path) -> None:
    done = invoke("report", model, "--delegate", "npu")
    assert done.exit_code == 0
    assert "subgraphs  1 (the fewest possible)" in done.output
    assert "put in equal forms that keep the delegate's limits:" in done.output
    report = json.loads(invoke("report", model, "--delegate", "npu", "--format", "json").output)
    assert report["coverage"] == 1
    assert {rewrite["code"] for rewrite in report["rewrites"]} == {"RANK"}
    assert {rewrite["rule"] for rewrite in report["rewrites"]} == {"movement"}
    assert "## Rewritten" in invoke("report", model, "--delegate", "npu", "--format", "markdown").output


def test_the_switch_leaves_nodes_as_they_are(model: Path) -> None:
    done = invoke("report", model, "--delegate", "npu", "--no-rewrite", "--format", "json")
    report = json.loads(done.output)
    assert report["rewrites"] == []
    assert len(report["subgraphs"]) == 2


def test_calibrated_times_are_for_the_same_form(model: Path, tmp_path: Path) -> None:
    times = tmp_path / "times.json"
    assert invoke("calibrate", model, "--delegate", "npu", "--runs", "1", "-o", times).exit_code == 0
    options = "report", model, "--delegate", "npu", "--placement", "cost", "--times", times
    assert invoke(*options).exit_code == 0
    rejected = invoke(*options, "--no-rewrite")
    assert rejected.exit_code == 2
    assert "made for something else" in rejected.output

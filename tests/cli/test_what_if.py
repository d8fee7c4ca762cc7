"""``lite-delegate report --what-if`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lite_delegate.demo import model_path
from tests.commands import call


def test_text_names_the_operator_that_is_lacking() -> None:
    plain = call("report", model_path(), "--delegate", "npu:kirin", "--no-rewrite").stdout
    text = call("report", model_path(), "--delegate", "npu:kirin", "--no-rewrite", "--what-if").stdout
    before, heading, after = text.partition("\n\nwhat if a delegate supported")
    assert heading
    assert plain.startswith(before)
    lines = after.splitlines()
    assert max(map(len, lines)) <= 100
    assert [line.split()[0] for line in lines if "OPERATOR" in line] == ["LayerNormFusion"]


def test_the_row_is_what_a_profile_with_the_operator_gets(tmp_path: Path) -> None:
    for profile in ("kirin", "generic"):
        path = tmp_path / f"{profile}.json"
        report = ("report", model_path(), "--delegate", f"npu:{profile}", "--no-rewrite", "--what-if")
        call(*report, "--format", "json", "-o", path)
    lacking, whole = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("kirin", "generic"))
    row = next(row for row in lacking["what_if"] if row["kind"] == "operator")
    assert row["operator"] == "LayerNormFusion"
    assert (row["subgraphs_before"], row["subgraphs_after"]) == (len(lacking["subgraphs"]), len(whole["subgraphs"]))
    assert (row["bytes_before"], row["bytes_after"]) == (lacking["boundary_bytes"], whole["boundary_bytes"])
    assert row["kernels_delta"] == whole["kernels_delegated"] - lacking["kernels_delegated"]
    assert whole["what_if"] == []


def test_with_placement_by_gain_there_are_estimated_times() -> None:
    arguments = ("report", model_path(), "--delegate", "npu:kirin", "--no-rewrite", "--what-if", "--placement", "cost")
    text = call(*arguments).stdout
    assert "est. time" in text or "no delegate rejects" in text
    (row,) = [r for r in json.loads(call(*arguments, "--format", "json").stdout)["what_if"] if r["kind"] == "operator"]
    assert row["time_before_us"] > 0
    assert row["time_delta_percent"] == pytest.approx(100 * (row["time_after_us"] / row["time_before_us"] - 1))


def test_json_without_it_says_that_nobody_asked() -> None:
    assert json.loads(call("report", model_path(), "--format", "json").stdout)["what_if"] is None


def test_markdown_and_the_page_have_it() -> None:
    arguments = ("report", model_path(), "--delegate", "npu:kirin", "--no-rewrite", "--format")
    assert "## What if" in call(*arguments, "markdown", "--what-if").stdout
    assert "## What if" not in call(*arguments, "markdown").stdout
    assert '"subgraphs_after"' in call(*arguments, "html").stdout


def test_a_graph_in_dot_has_no_place_for_it() -> None:
    result = call("report", model_path(), "--what-if", "--format", "dot", status=2)
    assert result.stderr.startswith("lite-delegate: --what-if has no place in --format dot: choose text")
    assert len(result.stderr.splitlines()) == 1

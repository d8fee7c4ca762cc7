"""``lite-delegate benchmark``, as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lite_delegate.demo import model_path
from lite_delegate.formats.ms import write_ms
from tests.commands import call
from tests.runtime.graphs import chain


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "chain.ms"
    write_ms(chain(3), path)
    return path


def test_figures_without_a_profile(model: Path) -> None:
    data = json.loads(call("benchmark", model, "--runs", 4, "--warmup", 0, "--format", "json").stdout)
    assert (data["runs"], data["warmup"], data["profile"], data["delegate"]) == (4, 0, None, "none")
    latency = data["latency_ms"]
    assert latency["min"] <= latency["p50"] <= latency["p90"] <= latency["p95"] <= latency["p99"] <= latency["max"]
    assert data["build_ms"] > 0
    assert data["first_run_ms"] > 0


def test_a_profile_on_the_npu_with_a_trace(tmp_path: Path) -> None:
    trace, report = tmp_path / "trace.json", tmp_path / "report.json"
    done = call(
        "benchmark",
        model_path(),
        "--delegate",
        "npu:kirin",
        "--runs",
        3,
        "--trace",
        trace,
        "--format",
        "json",
        "-o",
        report,
    )
    assert done.stdout == ""
    profile = json.loads(report.read_text())["profile"]
    assert profile["runs"] == 3
    assert sum(part["total_ns"] for part in profile["parts"]) == profile["wall_ns"]
    assert profile["estimated_us"] > 0
    events = json.loads(trace.read_text())["traceEvents"]
    assert sum(e["ph"] == "X" and e["cat"] == "prediction" for e in events) == 3
    assert "estimate (simulated device)" in {e["args"].get("name") for e in events if e["ph"] == "M"}


@pytest.mark.parametrize("format_", ["text", "markdown", "html"])
def test_forms_for_people(model: Path, format_: str) -> None:
    text = call("benchmark", model, "--runs", 2, "--profile", "--format", format_).stdout
    assert "unexplained" in text
    assert "AddFusion" in text
    if format_ == "text":
        assert max(map(len, text.splitlines())) <= 100 + len(str(model))


def test_given_inputs_decide_the_shapes_and_open_dimensions_are_resized(model: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((5, 4), np.float32))
    trace = tmp_path / "t.json"
    call("benchmark", model, "--input", f"x={tmp_path / 'x.npy'}", "--runs", 1, "--trace", trace)
    assert "float32 [5, 4]" in trace.read_text()


def test_the_partition_is_the_one_that_was_asked_for(model: Path) -> None:
    arguments = ("--delegate", "npu", "--deny-node", "n1", "--runs", 1, "--profile", "--format", "json")
    data = json.loads(call("benchmark", model, *arguments).stdout)
    assert (data["kernels_delegated"], data["subgraphs"]) == (2, 2)
    assert [k["name"] for k in data["profile"]["kernels"]] == ["n1"]


def test_seconds_end_it(model: Path) -> None:
    data = json.loads(call("benchmark", model, "--seconds", "0.000001", "--format", "json").stdout)
    assert data["runs"] == 1


def test_threads_are_the_models(model: Path) -> None:
    assert json.loads(call("benchmark", model, "--threads", 2, "--runs", 1, "--format", "json").stdout)["threads"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--runs", 0), "'--runs'"),
        (("--warmup", -1), "'--warmup'"),
        (("--seconds", 0), "'--seconds'"),
        (("--trace", "x.json", "-o", "./x.json"), "--trace and --output are both 'x.json'"),
        (("--seconds", "inf"), "seconds must be above 0 and finite, got inf"),
        (("--threads", -1), "'--threads'"),
        (("--delegate", "nothing"), "--delegate must be none"),
        (("--input", "x="), "--input must be NAME=FILE.npy"),
        (("--input", "z=z.npy"), "--input z: the model's inputs are x."),
        (("--runs", 1, "-o", "nowhere/report.txt"), "'nowhere' is not a directory"),
        (("--runs", 1, "--trace", "nowhere/trace.json"), "'nowhere' is not a directory"),
    ],
)
def test_mistakes_are_one_line_and_status_2(model: Path, arguments: tuple[object, ...], message: str) -> None:
    done = call("benchmark", model, *arguments, status=2)
    assert message in done.stderr
    assert done.stdout == ""


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    done = call("benchmark", tmp_path / "no.ms", status=2)
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.shared
@pytest.mark.parametrize("delegate", ["none", "npu:kirin"])
def test_lenet_adds_up(shared_models: Path, delegate: str) -> None:
    done = call(
        "benchmark",
        shared_models / "lenet_tod_infer.ms",
        "--delegate",
        delegate,
        "--profile",
        "--runs",
        3,
        "--format",
        "json",
    )
    profile = json.loads(done.stdout)["profile"]
    assert sum(part["total_ns"] for part in profile["parts"]) == profile["wall_ns"]
    assert sum(row["total_ns"] for row in profile["host"]) == profile["parts"][5]["total_ns"]

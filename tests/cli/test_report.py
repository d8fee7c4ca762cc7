"""``lite-delegate report`` and ``report diff`` as a user runs them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from lite_delegate.demo import model_path
from lite_delegate.formats.ms import write_ms
from lite_delegate.report import PartitionReport
from tests.commands import COMMAND, call
from tests.runtime.graphs import chain

LAYER_NORM = "LayerNormFusion"
"""What the profile 'kirin' has no instruction for; the demonstration's model has some, not taken apart."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two reports on one model: all of it delegated, and with a profile that lacks an operator."""
    path = tmp_path_factory.mktemp("reports")
    for name, delegate in (("whole", "npu:generic"), ("partly", "npu:kirin")):
        report = ("report", model_path(), "--delegate", delegate, "--no-rewrite", "--format", "json")
        call(*report, "-o", path / f"{name}.json")
    return path


def lacking(folder: Path) -> list[str]:
    report = PartitionReport.from_json((folder / "partly.json").read_text())
    return [n.name for n in report.fallback]


def test_report_of_a_model_as_ever(tmp_path: Path) -> None:
    write_ms(chain(3), tmp_path / "chain.ms")
    assert "delegated  3 of 3 kernels (100%)" in call("report", tmp_path / "chain.ms").stdout
    assert "delegated  0 of 3" in call("report", "--delegate", "none", tmp_path / "chain.ms").stdout


def test_a_model_called_diff_is_a_model_where_the_first_word_is_another(tmp_path: Path) -> None:
    write_ms(chain(3), tmp_path / "diff")
    assert "3 of 3 kernels" in call("report", "./diff", cwd=tmp_path).stdout
    assert "3 of 3 kernels" in call("report", "--format", "text", "diff", cwd=tmp_path).stdout
    done = call("report", "diff", cwd=tmp_path, status=2)
    assert "Missing argument 'A.json'. See" in done.stderr
    assert done.stderr.endswith("report diff --help'.\n")


def test_the_help_of_a_report_names_the_command_behind_it() -> None:
    listed = call("report", "--help").stdout
    assert "\n  diff  Shows the changes between two reports.\n" in listed.partition("Commands:")[2]
    assert " report diff [OPTIONS] A.json B.json\n" in call("report", "diff", "--help").stdout
    assert "Got unexpected extra argument (b.ms)" in call("report", "a.ms", "b.ms", status=2).stderr


def test_a_diff_has_defaults_of_its_own_in_the_file(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "lite-delegate.toml").write_text('[report]\nformat = "json"\n[report.diff]\nformat = "markdown"\n')
    done = call("report", "diff", folder / "whole.json", folder / "partly.json", cwd=tmp_path)
    assert done.stdout.startswith("#")
    assert done.stderr == "lite-delegate: note: from 'lite-delegate.toml': format\n"


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("text", "11 of 11 kernels (100%) on npu, in 1 subgraph "),
        ("json", "{"),
        ("markdown", "# Partition report"),
        ("dot", "digraph"),
    ],
)
def test_forms(form: str, start: str, tmp_path: Path) -> None:
    shown = call("report", model_path(), "--format", form).stdout
    assert shown.startswith(start)
    call("report", model_path(), "--format", form, "-o", tmp_path / "file")
    assert (tmp_path / "file").read_text() == shown


def test_errors_of_a_comparison_are_on_the_page(tmp_path: Path) -> None:
    model, errors, page = tmp_path / "chain.ms", tmp_path / "comparison.json", tmp_path / "page.html"
    write_ms(chain(3), model)
    call("compare", model, "--kernels", "--format", "json", "-o", errors)
    call("report", model, "--errors", errors, "--format", "html", "-o", page)
    report = PartitionReport.from_json(call("report", model, "--errors", errors, "--format", "json").stdout)
    assert {error.node: error.scope for error in report.errors} == dict.fromkeys(("n0", "n1", "n2"), "kernel")
    assert '"scope":"kernel"' in page.read_text()
    refused = call("report", model, "--errors", errors, "--format", "text", status=2).stderr
    assert "--errors has no place in --format text: choose one of json, html, model-explorer" in refused


def test_a_file_for_netron_needs_a_place(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    call("report", model_path(), "--format", "netron", "-o", tmp_path / "report.onnx")
    assert len(onnx.load(tmp_path / "report.onnx").graph.node) == 11
    refused = call("report", model_path(), "--format", "netron", status=2)
    assert "--format netron writes an ONNX file: give -o FILE.onnx." in refused.stderr


def test_a_page_is_not_written_to_a_terminal(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="needs pseudo terminals")
    keyboard, terminal = pty.openpty()
    try:
        command = [*COMMAND, "report", str(model_path()), "--format", "html"]
        done = subprocess.run(command, stdout=terminal, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(terminal)
        os.close(keyboard)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "give -o FILE.html, or pipe it" in done.stderr
    assert call("report", model_path(), "--format", "html").stdout.startswith("<!doctype html>")


def test_diff_names_what_changed_and_is_no_failure(folder: Path) -> None:
    missing = lacking(folder)
    assert missing
    done = call("report", "diff", folder / "whole.json", folder / "partly.json")
    assert all(name in done.stdout for name in missing)
    assert f"after:  CPU, OPERATOR: NPU profile 'kirin' has no {LAYER_NORM}" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    data = json.loads(call("report", "diff", folder / "whole.json", folder / "partly.json", "--format", "json").stdout)
    assert [n["name"] for n in data["nodes"]] == missing
    markdown = call("report", "diff", folder / "whole.json", folder / "partly.json", "--format", "markdown").stdout
    assert all(f"| {name} | {LAYER_NORM} |" in markdown for name in missing)


def test_diff_of_equal_reports(folder: Path, tmp_path: Path) -> None:
    call("report", "diff", folder / "whole.json", folder / "whole.json", "-o", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text().splitlines()[-1] == "changed   nothing"


@pytest.mark.parametrize(
    "content", ["", "{}", '{"nodes": 3}', "[1]", "\0"], ids=["empty", "{}", "nodes", "list", "nul"]
)
def test_diff_of_a_broken_file(content: str, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text(content)
    done = call("report", "diff", folder / "whole.json", tmp_path / "broken.json", status=2)
    assert done.stderr.startswith(f"lite-delegate: '{tmp_path / 'broken.json'}': report")
    assert len(done.stderr.splitlines()) == 1


def test_diff_of_a_file_that_is_not_there(folder: Path) -> None:
    done = call("report", "diff", folder / "whole.json", folder / "none.json", status=2)
    assert done.stderr == f"lite-delegate: '{folder / 'none.json'}': No such file or directory\n"


def test_requirements_that_are_met(folder: Path) -> None:
    whole = [
        "report",
        model_path(),
        "--delegate",
        "npu:generic",
        "--require",
        "coverage>=1",
        "--require",
        "subgraphs<=1",
    ]
    assert call(*whole).stderr == ""
    assert call(*whole, "--require", "coverage>=baseline", "--baseline", folder / "partly.json").stderr == ""


def test_requirements_that_are_not_met(tmp_path: Path, folder: Path) -> None:
    output = tmp_path / "report.json"
    partly = ["report", model_path(), "--delegate", "npu:kirin", "--no-rewrite", "--format", "json", "-o", output]
    done = call(*partly, "--require", "coverage>=0.95", "--require", "kernels_total>=1", status=1)
    written, first, second, *nodes = done.stderr.splitlines()
    assert written.startswith(f"lite-delegate: wrote {output} (")
    assert first.startswith("requirement not met: coverage>=0.95: coverage is 0.")
    assert second == "nodes that stay on the CPU:"
    assert f"  {lacking(folder)[0]} ({LAYER_NORM})" in nodes
    assert PartitionReport.from_json(output.read_text()).coverage < 0.95


def test_a_coverage_that_dropped_names_the_node(folder: Path) -> None:
    partly = ["report", model_path(), "--delegate", "npu:kirin", "--no-rewrite", "--require", "coverage>=baseline"]
    done = call(*partly, "--baseline", folder / "whole.json", status=1)
    assert "(baseline: 1)" in done.stderr
    assert all(f"  ~ {name} ({LAYER_NORM})" in done.stderr for name in lacking(folder))
    assert "delegated" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--require", "coverage=1"], "METRIC OPERATOR NUMBER"),
        (["--require", "speed>=1"], "no metric 'speed'"),
        (["--require", "coverage>=baseline"], "give --baseline FILE.json"),
        (["--baseline", "x.json"], "--baseline needs --require"),
        (["--baseline", "x.json", "--require", "coverage>=baseline"], "'x.json': No such file"),
    ],
    ids=["form", "metric", "no baseline", "no requirement", "no file"],
)
def test_wrong_expressions_are_the_users_mistakes(options: list[str], message: str, tmp_path: Path) -> None:
    done = call("report", model_path(), *options, "-o", tmp_path / "out", status=2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()

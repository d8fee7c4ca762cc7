"""``lite-delegate conformance``, as a user runs it."""

from __future__ import annotations

import importlib
import json
import subprocess
from pathlib import Path

import pytest
from lite_delegate_kernels import ALL_CUSTOM_KERNELS, ALL_KERNELS

from lite_delegate.conformance import ConformanceReport, all_cases, operators_without_cases, run_in_workers
from lite_delegate.conformance import cases as case_package
from lite_delegate.conformance.suite import case_modules, operators_of
from tests.commands import call

ROOT = Path(__file__).parents[2]
PLANTED = "tests.conformance.planted"


def command(*arguments: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    return call("conformance", *arguments, cwd=ROOT, status=status)


def test_what_a_delegate_prints_is_not_in_the_report() -> None:
    planted = ("--delegate", f"{PLANTED}:Honest", "--op", "Softmax")
    done = command(*planted, "--timeout", 120, "--format", "json")  # a busy machine is not what this is about
    data = json.loads(done.stdout)
    assert (data["delegate"], data["spec"], data["conformant"]) == ("planted", f"{PLANTED}:Honest", True)
    assert data["verdicts"]["honest"] == 1
    assert "compiling rank_4_channels" in done.stderr


@pytest.mark.parametrize("name", ["Wrong", "Exiting"])
def test_an_over_claim_exits_1(name: str) -> None:
    text = command("--delegate", f"{PLANTED}:{name}", "--op", "Softmax", status=1).stdout
    assert "Softmax rank_4_channels: " in text
    assert "operators: 1 over-claim" in text
    assert "--save DIR keeps the failing cases" in text


def test_a_time_limit_is_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # as users have it
    done = command("--delegate", f"{PLANTED}:Hanging", "--op", "Softmax", "--timeout", "2", status=1)
    assert "failed: Softmax rank_4_channels: the process gave no answer within 2 s" in done.stdout
    assert "compiling rank_4_channels" in done.stderr  # what it printed is not lost with the process
    command("--timeout", "0", status=2)
    command("--jobs", "0", status=2)


def test_rejections_exit_0_where_they_may_and_are_shown_with_reason_and_verdict() -> None:
    asked = ("--delegate", f"{PLANTED}:Rejecting", "--op", "Softmax", "--jobs", "1")
    text = command(*asked, "--allow-nothing-claimed").stdout
    assert "under-claims: rejected, and right when claimed by force" in text
    assert "OPERATOR: planted has no Softmax" in text
    assert "operators: 1 under-claim" in text
    assert "Delegate 'planted' claimed none of the cases, so it was not tested." in text


def test_failing_cases_are_saved_small(tmp_path: Path) -> None:
    arguments = ("--delegate", f"{PLANTED}:LargeIsWrong", "--op", "Softmax", "--op", "ExpFusion")
    text = command(*arguments, "--save", tmp_path / "saved", "--format", "json", status=1).stdout
    saved = [c for c in json.loads(text)["cases"] if c["saved"]]
    assert {c["verdict"] for c in saved} == {"over-claim"}
    folder = Path(saved[0]["saved"])
    names = {path.name for path in folder.iterdir()}
    assert names == {"model.ms", "input_0.npy", "expected_0.npy", "command.txt"}
    assert f"--delegate {PLANTED}:LargeIsWrong" in (folder / "command.txt").read_text()


def test_html_goes_to_a_file(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert command("--op", "Softmax", "--format", "html", "-o", page).stdout == ""
    assert page.read_text().startswith("<!doctype html>")


def test_text_fits_a_terminal() -> None:
    text = command("--delegate", "npu", "--op", "Softmax", "--op", "Conv2dTransposeFusion").stdout
    assert max(map(len, text.splitlines())) <= 120


def test_every_operator_has_cases() -> None:
    assert operators_without_cases(all_cases()) == ()


def test_a_file_has_cases_of_the_operators_that_it_says_only() -> None:
    assert operators_of("case_conv2d_fusion") == {"Conv2DFusion"}
    assert operators_of("case_tflite_conv_3d") == {"tflite.CONV_3D"}
    assert operators_of("case_quantized_dense") >= {"Conv2DFusion", "MatMulFusion"}
    for module in case_modules():
        if operators_of(module):
            cases = importlib.import_module(f"{case_package.__name__}.{module}").cases()
            assert {case.op_type for case in cases} == operators_of(module), module


def test_the_cases_of_one_operator_are_those_among_all() -> None:
    of_all = [c.name for c in all_cases() if c.op_type == "Softmax"]
    assert [c.name for c in all_cases(["Softmax"])] == of_all


def test_an_operator_without_cases_fails_the_suite() -> None:
    some = list(all_cases(["Softmax"]))
    missing = operators_without_cases(some)
    assert set(missing) == {k.op_type for k in (*ALL_KERNELS, *ALL_CUSTOM_KERNELS)} - {"Softmax"}
    report = run_in_workers(some, "none", jobs=1, is_whole=True)
    assert report.without_cases == missing
    assert not report.is_conformant
    assert f"no cases: {missing[0]}" in report.to_text()
    assert run_in_workers(some, "none", jobs=1).is_conformant
    assert ConformanceReport("none", ()).is_conformant

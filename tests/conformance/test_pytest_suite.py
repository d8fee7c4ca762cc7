"""The suite as a third party runs it: ``pytest --pyargs lite_delegate.conformance --delegate SPEC``."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from lite_delegate.conformance import all_cases, all_patterns

ROOT = Path(__file__).parents[2]
COUNT = len(list(all_cases(["Softmax"])))
ITEMS = COUNT + len(list(all_patterns(["Softmax"])))
"""Patterns of the operator alone are items, too."""


def pytest_in(folder: Path, *arguments: str, status: int) -> str:
    """What a pytest session prints that knows nothing of this repository but its packages."""
    left_out = [word for plugin in ("cacheprovider", "hypothesispytest") for word in ("-p", f"no:{plugin}")]
    command = [sys.executable, "-m", "pytest", *left_out, *arguments]
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]  # for the planted delegates
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in paths if p)}
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def conformance(folder: Path, spec: str, *arguments: str, status: int) -> str:
    return pytest_in(folder, "--pyargs", "lite_delegate.conformance", "--delegate", spec, *arguments, status=status)


def test_one_item_per_case_and_rejections_are_skips(tmp_path: Path) -> None:
    spec = "tests.conformance.planted:Wrong"
    report = tmp_path / "junit.xml"
    text = conformance(tmp_path, spec, "--conformance-op", "Softmax", f"--junitxml={report}", status=1)
    assert f"1 failed, {ITEMS - 1} passed" in text
    assert f"delegate planted: {COUNT} cases of 1 operator: {COUNT - 1} passed, 1 wrong" in text
    suite = ET.parse(report).getroot()
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert len(cases) == ITEMS
    bad = cases["Softmax-rank_4_channels"]
    failure = bad.find("failure")
    assert failure is not None
    assert (failure.text or "").startswith("wrong: computed more coarsely than granted: output 0: ")
    properties = {p.get("name"): p.get("value") for p in bad.iter("property")}
    assert (properties["op_type"], properties["verdict"]) == ("Softmax", "over-claim")


def test_the_summary_is_whole_with_several_workers(tmp_path: Path) -> None:
    spec = "tests.conformance.planted:Wrong"
    text = conformance(tmp_path, spec, "--conformance-op", "Softmax", "-n", "2", status=1)
    assert f"delegate planted: {COUNT} cases of 1 operator: {COUNT - 1} passed, 1 wrong" in text


def test_rejected_cases_are_skipped_with_their_reason(tmp_path: Path) -> None:
    text = conformance(tmp_path, "tests.conformance.planted:Rejecting", "--conformance-op", "Softmax", "-rs", status=0)
    assert f"{ITEMS} skipped" in text
    assert "passed in" not in text
    assert "rejected: OPERATOR: planted has no Softmax; under-claim: right when claimed by force" in text


def test_a_crash_costs_one_item(tmp_path: Path) -> None:
    text = conformance(tmp_path, "tests.conformance.planted:Exiting", "--conformance-op", "Softmax", status=1)
    assert f"1 failed, {ITEMS - 1} passed" in text
    assert "crashed: the process ended with exit status 7" in text


def test_a_hang_is_ended(tmp_path: Path) -> None:
    arguments = ("--conformance-op", "Softmax", "--conformance-timeout", "2")
    text = conformance(tmp_path, "tests.conformance.planted:Hanging", *arguments, status=1)
    assert "timed out: the process gave no answer within 2 s" in text
    assert f"1 failed, {ITEMS - 1} passed" in text


def test_a_spec_without_a_delegate_ends_the_session(tmp_path: Path) -> None:
    text = conformance(tmp_path, "nonesuch:Delegate", "--conformance-op", "Softmax", status=4)
    assert "cannot import it: ModuleNotFoundError" in text


def test_an_unknown_operator_is_named(tmp_path: Path) -> None:
    assert "No conformance cases for Sofmax" in conformance(tmp_path, "none", "--conformance-op", "Sofmax", status=2)


def test_the_whole_suite_has_an_item_for_operators_without_cases(tmp_path: Path) -> None:
    text = conformance(tmp_path, "none", "--collect-only", "-q", status=0)
    assert "every_operator_has_cases" in text
    assert "Conv2DFusion-relu6" in text


def test_other_sessions_get_neither_options_nor_imports(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("def pytest_addoption(parser):\n    parser.addoption('--delegate')\n")
    (tmp_path / "test_x.py").write_text(
        "import sys\ndef test_x(request):\n"
        "    assert request.config.getoption('--delegate') == 'mine'\n"
        "    assert 'lite_delegate' not in sys.modules\n"
        "    assert 'lite_delegate_pytest' in sys.modules\n"
    )
    assert "1 passed" in pytest_in(tmp_path, "--delegate", "mine", status=0)


def test_the_entry_point_is_declared() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"]["pytest11"] == {"lite_delegate_pytest": "lite_delegate_pytest"}
    assert "lite_delegate_pytest" in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def test_options_reach_the_delegate(tmp_path: Path) -> None:
    arguments = ["--conformance-op", "Softmax", "--delegate-option", "LOG_LEVEL=LOG_NONE"]
    text = conformance(tmp_path, "npu", *arguments, status=0)
    assert f"delegate npu: {COUNT} cases of 1 operator" in text
    assert "has no property" in conformance(tmp_path, "npu", *arguments, "--delegate-option", "TURBO=YES", status=4)
    pytest_in(tmp_path, "--pyargs", "lite_delegate.conformance", "--delegate-option", "TURBO", status=4)

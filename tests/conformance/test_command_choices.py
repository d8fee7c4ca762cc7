"""What ``lite-delegate conformance`` runs, known failures, JUnit and tracebacks of the command."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run

ROOT = Path(__file__).parents[2]
PLANTED = "tests.conformance.planted"
FAULT = "Softmax-rank_4_channels"


def command(*arguments: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    """The end of the command, which must have a status."""
    done = run("conformance", *arguments, "--jobs", 1, cwd=ROOT)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def data(*arguments: object, status: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(command(*arguments, "--format", "json", status=status).stdout)
    return found


def known_file(folder: Path, case_id: str) -> Path:
    path = folder / "known.toml"
    path.write_text(f'"{case_id}" = "the driver is mended in June"\n')
    return path


def test_a_pattern_alone_or_none_at_all() -> None:
    one = data("--pattern", "channel_shuffle")
    assert (one["cases"], {p["name"] for p in one["patterns"]}) == ([], {"channel_shuffle"})
    family = data("--pattern", "layout")["patterns"]
    assert len(family) > 1
    assert {p["op_type"] for p in family} == {"layout"}
    none = data("--op", "Softmax", "--no-patterns")
    assert none["patterns"] == []
    assert {c["op_type"] for c in none["cases"]} == {"Softmax"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--pattern", "channel_shuffel"), "Did you mean 'channel_shuffle'"),
        (("--pattern", "channel_shuffle", "--no-patterns"), "--pattern and --no-patterns exclude each other"),
        (("--known", "absent.toml"), "Cannot read the known failures in 'absent.toml'"),
    ],
)
def test_what_cannot_be_chosen_is_one_line(arguments: tuple[str, ...], said: str) -> None:
    done = command(*arguments, status=2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_known_failure_is_shown_with_its_reason_and_fails_nothing(tmp_path: Path) -> None:
    arguments = ("--delegate", f"{PLANTED}:Wrong", "--op", "Softmax", "--no-patterns")
    found = data(*arguments, "--known", known_file(tmp_path, FAULT))
    assert found["conformant"] is True
    (case,) = [c for c in found["cases"] if c["name"] == "rank_4_channels"]
    assert (case["verdict"], case["known"]) == ("over-claim", "the driver is mended in June")


def test_a_known_failure_that_does_not_fail_any_more_is_said(tmp_path: Path) -> None:
    arguments = ("--delegate", f"{PLANTED}:Honest", "--op", "Softmax", "--no-patterns")
    text = command(*arguments, "--known", known_file(tmp_path, FAULT)).stdout
    assert f"known failure that fails no more: {FAULT}" in text
    done = command(*arguments, "--known", known_file(tmp_path, "Softmax-rank_4_chanels"), status=2)
    assert f"there is no case 'Softmax-rank_4_chanels'. Did you mean '{FAULT}'" in done.stderr


def test_junit_has_failures_with_the_defect_and_known_ones_skipped(tmp_path: Path) -> None:
    arguments = ("--delegate", f"{PLANTED}:Wrong", "--op", "Softmax", "--no-patterns", "--format", "junit")
    path = tmp_path / "junit.xml"
    assert command(*arguments, "-o", path, status=1).stdout == ""
    root = ET.parse(path).getroot()
    (suite,) = root.findall("testsuite")
    cases = suite.findall("testcase")
    assert (suite.get("name"), root.get("failures"), root.get("tests")) == ("Softmax", "1", str(len(cases)))
    (failed,) = [case for case in cases if case.find("failure") is not None]
    assert failed.get("name") == "rank_4_channels"
    root = ET.fromstring(command(*arguments, "--known", known_file(tmp_path, FAULT)).stdout)
    assert (root.get("failures"), root.get("skipped")) == ("0", "1")
    skipped = root.find(".//skipped")
    assert skipped is not None
    assert "known failure: the driver is mended in June" in str(skipped.get("message"))


def test_the_traceback_is_in_json_and_on_request_on_the_terminal() -> None:
    arguments = ("--delegate", f"{PLANTED}:Raising", "--op", "Softmax", "--no-patterns")
    (case,) = [c for c in data(*arguments, status=1)["cases"] if c["verdict"] == "over-claim"]
    assert "planted.py" in case["traceback"]
    assert case["traceback"].rstrip().endswith("OSError: bus error")
    plain, told = command(*arguments, status=1), command(*arguments, "--traceback", status=1)
    assert "Traceback" not in plain.stderr
    assert told.stderr.count("Traceback") == 1
    assert "Softmax rank_4_channels" in told.stderr


def test_the_traceback_of_a_pattern_is_shown_too() -> None:
    arguments = ("--delegate", f"{PLANTED}:RaisingAlways", "--pattern", "channel_shuffle")
    (pattern,) = data(*arguments, status=1)["patterns"]
    assert pattern["outcome"] == "failed"
    assert "OSError: bus error" in pattern["traceback"]
    assert "OSError: bus error" in command(*arguments, "--traceback", status=1).stderr

"""A run in which the delegate claims nothing is no pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import invoke

DELEGATE = """
from lite_delegate import Delegate, RejectCode, Rejected

class Refuses(Delegate):
    name = "refuses"

    def supports(self, kernel):
        return Rejected(RejectCode.OPERATOR, "there is no operator")
"""


@pytest.fixture
def spec(tmp_path: Path) -> str:
    (tmp_path / "refusing.py").write_text(DELEGATE, encoding="utf-8")
    return f"{tmp_path / 'refusing.py'}:Refuses"


def test_it_ends_with_status_1_and_says_so(spec: str) -> None:
    done = invoke("conformance", "--op", "Abs", "--no-patterns", "--jobs", "1", "--delegate", spec, "--format", "json")
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    found = json.loads(done.stdout)
    count = len(found["cases"])
    assert (found["judged"], found["totals"]["rejected"]) == (0, count)
    assert line == (
        f"lite-delegate: Nothing was judged: delegate 'refuses' claims none of {count} cases that could be compared; "
        f"the most common reason, for {count} of them: OPERATOR: there is no operator. "
        "--allow-nothing-claimed accepts that."
    )


def test_the_user_may_accept_that(spec: str) -> None:
    more = "--op", "Abs", "--no-patterns", "--jobs", "1", "--delegate", spec
    assert invoke("conformance", *more, "--allow-nothing-claimed").exit_code == 0


def test_one_case_that_is_claimed_is_enough() -> None:
    done = invoke("conformance", "--op", "Abs", "--no-patterns", "--jobs", "1", "--delegate", "npu", "--format", "json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["judged"] > 0

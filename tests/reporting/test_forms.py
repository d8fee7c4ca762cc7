"""The table of forms: its order, its JSON, and the tables of the rooms that write reports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from click.testing import CliRunner

from lite_delegate import benchmark, compare, conformance, report
from lite_delegate.cli.main import main
from lite_delegate.demo import model_path
from lite_delegate.report.info.compiled_info import COMPILED_RENDERERS
from lite_delegate.report.info.model_info_text import INFO_RENDERERS
from lite_delegate.reporting.figures import decibel_text, error_text, ulp_text
from lite_delegate.reporting.forms import ReportData, as_json, forms


@dataclass(frozen=True, slots=True)
class Found(ReportData):
    """A number and its double."""

    number: int

    def to_dict(self) -> dict[str, Any]:
        return {"number": self.number, "double": 2 * self.number}


@dataclass(frozen=True, slots=True)
class OnOneLine(Found):
    def to_json(self) -> str:
        return json.dumps(self.to_dict())


def text(found: Found) -> str:
    return f"{found.number}"


def test_text_is_the_default_and_json_follows() -> None:
    table = forms(text, markdown=text)
    assert list(table) == ["text", "json", "markdown"]
    assert [render(Found(3)) for render in table.values()] == ["3", '{\n  "number": 3,\n  "double": 6\n}', "3"]


def test_json_that_is_given_keeps_its_place() -> None:
    table = forms(text, markdown=text, json=lambda found: "[]")
    assert list(table) == ["text", "json", "markdown"]
    assert table["json"](Found(3)) == "[]"


def test_a_report_may_write_its_json_otherwise() -> None:
    assert as_json(OnOneLine(3)) == '{"number": 3, "double": 6}'


def test_data_that_is_no_report_becomes_plain_json() -> None:
    assert json.loads(as_json({"all": (Found(1), Found(2)), "ratio": float("inf")})) == {
        "all": [{"number": 1}, {"number": 2}],
        "ratio": "inf",
    }


@pytest.mark.parametrize(
    ("table", "others"),
    [
        (report.RENDERERS, ["markdown", "dot", "html", "model-explorer", "node-data"]),
        (report.DIFF_RENDERERS, ["markdown"]),
        (compare.RENDERERS, ["markdown", "html"]),
        (benchmark.RENDERERS, ["markdown", "html"]),
        (conformance.RENDERERS, ["html", "junit"]),
        (INFO_RENDERERS, []),
        (COMPILED_RENDERERS, []),
    ],
)
def test_rooms_have_these_forms(table: Mapping[str, object], others: list[str]) -> None:
    assert list(table) == ["text", "json", *others]


def test_an_unknown_form_is_rejected_with_those_that_there_are() -> None:
    done = CliRunner().invoke(main, ["report", str(model_path()), "--format", "pdf"])
    assert done.exit_code == 2
    assert "'pdf' is not one of 'text', 'json', 'markdown', 'dot', 'html', 'model-explorer', 'node-data'" in done.output


def test_figures_are_short() -> None:
    assert (error_text(None), error_text(0.00012345), error_text(float("inf"))) == ("", "1.2e-04", "inf")
    assert (ulp_text(None), ulp_text(999_999), ulp_text(1_000_000)) == ("", "999999", "1e+06")
    assert (decibel_text(None), decibel_text(71.6), decibel_text(float("inf"))) == ("", "72", "inf")

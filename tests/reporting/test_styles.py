"""Styles: every verdict has one, and text that is painted says the same as text that is not."""

from __future__ import annotations

import re

import pytest

from lite_delegate.compare import Outcome
from lite_delegate.conformance.reports.results import Verdict
from lite_delegate.report.verdict import Pays
from lite_delegate.reporting.styles import Style, style_of_place, style_of_verdict, theme
from lite_delegate.reporting.terminal import Page, answered, fact, laid_out_for, painted, table

CODE = re.compile(r"\x1b\[[0-9;]*m")
COLOURS = Page(colours=True)


@pytest.mark.parametrize("word", [*Outcome, *Verdict, *Pays])
def test_every_verdict_has_a_style(word: str) -> None:
    assert style_of_verdict(word) in (Style.GOOD, Style.UNSURE, Style.BAD)


def test_other_words_have_none() -> None:
    assert (style_of_verdict("not checked"), style_of_place("")) == (None, None)


def test_the_cpu_looks_other_than_a_delegate() -> None:
    looks = theme().styles
    assert looks[style_of_place("CPU") or ""] != looks[style_of_place("NpuGraph0") or ""]


def test_text_of_files_is_plain() -> None:
    assert painted("yes", Style.GOOD) == "yes"


def test_words_keep_their_own_style_in_an_answer() -> None:
    with laid_out_for(COLOURS):
        text = painted(f"it pays: {painted('yes', Style.GOOD)}, much", Style.HEADLINE)
    assert text == "\x1b[1mit pays: \x1b[0m\x1b[1;32myes\x1b[0m\x1b[1m, much\x1b[0m"


@pytest.mark.parametrize("columns", [40, 80])
def test_colours_change_no_layout(columns: int) -> None:
    def text() -> str:
        rows = [("conv", "CPU", "OPERATOR", "no such operator " * 5), ("add", "", "", "")]
        styles: dict[str, list[Style | None]]
        styles = {"runs on": [style_of_place(row[1]) for row in rows], "code": [Style.REFUSAL] * 2}
        shown = table(("node", "runs on", "code", "reason"), rows, cut=("node",), wrap=("reason",), styles=styles)
        return answered("two\nlines", f"{fact('pays', 'no: ' + 'slow ' * 30, is_verdict=True)}\n{shown}")

    with laid_out_for(Page(columns=columns)):
        plain = text()
    with laid_out_for(Page(columns=columns, colours=True)):
        coloured = text()
    assert coloured != plain
    assert CODE.sub("", coloured) == plain

"""Markdown: GitHub tables that hold whatever names there are, read back by a parser of their rules."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.reporting.markdown import escaped, table
from tests.report.test_diff import of


def shown(text: str) -> str:
    """What Markdown shows of it: a backslash before punctuation is left out, then entities are decoded."""
    return unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text))


def split_row(line: str) -> list[str]:
    """The cells of a row, character by character."""
    found, current, skip = [], "", False
    for c in line:
        if c == "|" and not skip:
            found.append(current)
            current = ""
        else:
            current += c
        skip = c == "\\" and not skip
    return [shown(cell.strip()) for cell in found[1:]]


WORDS = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1).map(str.strip).filter(bool)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4))
def test_cells_come_back(rows: list[tuple[str, str]]) -> None:
    head, marks, *lines = table(("a", "b"), rows).splitlines()
    assert (split_row(head), marks) == (["a", "b"], "| --- | --- |")
    assert [tuple(split_row(line)) for line in lines] == rows


def test_escapes() -> None:
    assert escaped("a|b") == r"a\|b"
    assert escaped("a_b*c`d`<br>&amp;[x]") == r"a\_b\*c\`d\`&lt;br&gt;&amp;amp;\[x\]"
    assert escaped("two\nlines\t") == r"two\\nlines\\t"


def test_report() -> None:
    report = of(0, 1, 3)
    lines = report.to_markdown().splitlines()
    rows = [split_row(line) for line in lines if line.startswith("|")]
    assert ["delegated", "3 of 5 kernels (60%)"] in rows
    assert ["Group0", "2", "x", "n1:0", "48", ""] in rows
    assert ["n2", "AddFusion", "CPU", "OPERATOR", "'n2' is not in the list"] in rows
    assert "CPU nodes stand between the 2 blocks of this path:" in report.to_markdown()
    assert ["1", "Group0", "n0 -> n1", "n2"] in rows
    assert ["2", "Group1", "n3", ""] in rows


def test_report_of_odd_names_keeps_its_columns() -> None:
    odd = replace(
        of(0, 2), nodes=tuple(replace(n, name=f"a|b\n`{n.name}`\\", reason="x | y \\") for n in of(0, 2).nodes)
    )
    head = "| node | type | runs on | code | reason |"
    lines = odd.to_markdown().splitlines()
    rows = lines[lines.index(head) + 2 :][:5]
    assert [split_row(row)[0] for row in rows] == [f"a|b\\n`n{i}`\\" for i in range(5)]
    assert {len(split_row(row)) for row in rows} == {5}


def test_an_estimate_is_called_one() -> None:
    report = of(0)
    known = replace(report, subgraphs=(replace(report.subgraphs[0], estimated_us=12.5),))
    assert "12.5 us per prediction in subgraphs (an estimate, not measured)" in known.to_markdown()

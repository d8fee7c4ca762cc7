"""Text and tables: as wide as the page, nothing lost, names that differ look different."""

from __future__ import annotations

import pytest

from lite_delegate.reporting.terminal import Page, answered, facts, laid_out_for, page, table

LONG = tuple(f"model/block_{i}/expand/Conv2D_with_a_long_name" for i in range(12))


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_a_table_fits_its_page_and_names_that_differ_look_different(columns: int) -> None:
    rows = [(name, "reason " * 20, str(i)) for i, name in enumerate(LONG)]
    with laid_out_for(Page(columns=columns)):
        lines = table(("node", "why", "count"), rows, cut=("node",), wrap=("why",), right=("count",)).splitlines()
    assert max(map(len, lines)) <= columns
    assert " ".join(lines).count("reason") == 240
    named = [line.split()[0] for line in lines[2:] if not line.startswith(" ")]
    assert len(set(named)) == len(LONG)


def test_a_wide_page_shows_whole_names() -> None:
    with laid_out_for(Page(columns=200)):
        shown = table(("node",), [(name,) for name in LONG], cut=("node",))
    assert all(name in shown for name in LONG)
    assert page() == Page()


def test_a_table_without_rows_has_its_headings() -> None:
    assert table(("a", "b"), []).split() == ["a", "b", "--", "-"]


def test_cells_are_shown_as_they_are() -> None:
    assert "[bold]x[/bold] :smile:" in table(("a", "b"), [("[bold]x[/bold] :smile:", "")])


def test_facts_stand_in_one_column() -> None:
    assert facts([("a", "one"), ("long", "two")]) == "a     one\nlong  two"


def test_an_answer_is_said_again_where_the_text_is_longer_than_a_screen() -> None:
    assert answered("yes", "short") == "yes\n\nshort"
    assert answered("yes", "short", "next") == "yes\n\nshort\n\nnext"
    long = "line\n" * 50
    assert answered("yes", long, "next") == f"yes\n\n{long}\n\nyes\nnext"
    with laid_out_for(Page(lines=100)):
        assert answered("yes", long) == f"yes\n\n{long}"

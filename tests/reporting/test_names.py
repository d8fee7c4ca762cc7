"""Names as renderers show them: never wider than asked for, and what is left out is counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.reporting.names import folded, printable, shares, shorten, way

NAMES = st.lists(st.text(max_size=40), min_size=1, max_size=12)


@given(st.text(), st.integers(4, 50))
def test_shortened_names_fit_and_are_on_one_line(name: str, width: int) -> None:
    shown = shorten(name, width)
    assert len(shown) <= width
    assert shown.isprintable()
    assert shown == printable(name) or (shown.startswith("...") and printable(name).endswith(shown[3:]))


@given(NAMES, st.integers(20, 90))
def test_a_way_fits(names: list[str], width: int) -> None:
    assert len(way(names, width)) <= width


def test_a_way() -> None:
    names = ["first", "second", "third", "fourth"]
    assert way(names, 40) == "first -> second -> third -> fourth"
    assert way(names, 25) == "first (+2) -> fourth"
    assert way(["a" * 30, "b" * 30], 20) == "...aaaaa -> ...bbbbb"
    assert way(["scope/" * 9 + "last"], 20) == ".../scope/scope/last"


def test_folded_lists_say_how_many_are_left_out() -> None:
    names = [str(i) for i in range(10)]
    assert folded(names, 10) == names
    assert folded(names, 4) == ["0", "1", "... 7 more", "9"]


@given(st.integers(0, 100), st.lists(st.integers(0, 120), min_size=1, max_size=5))
def test_shares_take_no_more_than_is_free_and_nothing_in_vain(free: int, wanted: list[int]) -> None:
    found = shares(free, wanted)
    assert sum(found) <= free
    assert all(width <= want for width, want in zip(found, wanted, strict=True))
    if sum(wanted) <= free:
        assert found == wanted
    else:
        cut = [width for width, want in zip(found, wanted, strict=True) if width < want]
        assert free - sum(found) < len(wanted)
        assert max(found) - min(cut) <= 1

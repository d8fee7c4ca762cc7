"""Names as renderers show them: never wider than asked for, and what is left out is counted."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from lite_delegate.basics.words.names import folded, shares, shorten, shortened, way
from lite_delegate.basics.words.one_line import printable

NAMES = st.lists(st.text(max_size=40), min_size=1, max_size=12)


@given(st.text(), st.integers(4, 50))
@example(".\x1f\x1f", 6)
def test_shortened_names_fit_and_are_on_one_line(name: str, width: int) -> None:
    shown = shorten(name, width)
    assert len(shown) <= width
    assert shown.isprintable()
    whole, dots = printable(name), range(len(shown) - 2)
    cuts = [(shown[:at], shown[at + 3 :]) for at in dots if shown[at : at + 3] == "..."]  # a name may have dots, too
    assert shown == whole or any(whole.startswith(first) and whole.endswith(last) for first, last in cuts)


@given(st.lists(st.text(max_size=60)), st.integers(8, 50))
def test_names_that_are_shortened_together_fit(names: list[str], width: int) -> None:
    found = shortened(names, width)
    assert set(found) == set(names)
    assert all(len(shown) <= width and shown.isprintable() for shown in found.values())


def test_names_that_are_shortened_together_keep_the_part_that_differs() -> None:
    names = [f"MobilenetV3/expanded_conv_{i}/squeeze_excite/Conv2DFusion_1:0" for i in range(1, 12)]
    found = shortened(names, 17)
    assert len(set(found.values())) == 11
    assert found[names[0]] == "...1/squeeze_e..."
    assert shortened(["a/first/long/name/of/it", "b/first/long/name/of/it"], 12) == {
        "a/first/long/name/of/it": "a/f.../of/it",
        "b/first/long/name/of/it": "b/f.../of/it",
    }


@given(NAMES, st.integers(20, 90))
def test_a_way_fits(names: list[str], width: int) -> None:
    assert len(way(names, width)) <= width


def test_a_way() -> None:
    names = ["first", "second", "third", "fourth"]
    assert way(names, 40) == "first -> second -> third -> fourth"
    assert way(names, 25) == "first (+2) -> fourth"
    assert way(["a" * 30, "b" * 30], 20) == "a...aaaa -> b...bbbb"
    assert way(["scope/" * 9 + "last"], 20) == "scope...e/scope/last"


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

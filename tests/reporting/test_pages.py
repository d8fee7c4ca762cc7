"""Filling the templates of HTML pages."""

from __future__ import annotations

import json

import pytest

from lite_delegate.reporting.pages import as_data, as_name, as_text, fill


def test_each_mark_is_filled_once_and_marks_in_parts_are_left() -> None:
    assert fill("<{{ a }}|{{ b }}|{{ a }}>", {"a": "{{ b }}", "b": r"\1"}) == r"<{{ b }}|\1|{{ b }}>"


def test_what_is_no_mark_stays() -> None:
    assert fill("{{a}} { b } {{ a b }}", {"a": "x"}) == "{{a}} { b } {{ a b }}"


def test_a_mark_without_a_part_is_a_mistake() -> None:
    with pytest.raises(KeyError, match="b"):
        fill("{{ a }}{{ b }}", {"a": ""})


def test_no_text_in_data_can_end_an_element() -> None:
    data = {"</script>": ["<!--", "ü", 1.5, None]}
    text = as_data(data)
    assert "<" not in text
    assert json.loads(text) == data


def test_data_has_no_numbers_that_json_has_no_word_for() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_data([float("nan")])


def test_text_shows_as_it_is() -> None:
    assert as_text("<a & b>") == "&lt;a &amp; b&gt;"


def test_names_break_behind_their_separators() -> None:
    assert as_name("/blocks.0/<attn>") == "/<wbr>blocks.<wbr>0/<wbr>&lt;attn&gt;"
    assert as_name("x" * 30) == f"{'x' * 24}<wbr>{'x' * 6}"

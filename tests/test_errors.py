"""Messages of errors and warnings."""

from __future__ import annotations

import pytest

from lite_delegate import DelegateWarning, InputError, ShapeError


@pytest.mark.parametrize(
    ("given", "shown"),
    [("a.", "a."), ("a: b..", "a: b."), ("a, b, ...", "a, b, ..."), ("", ""), ("a", "a"), ("..", ".")],
)
def test_a_message_that_quotes_a_sentence_ends_in_one_full_stop(given: str, shown: str) -> None:
    inner = InputError(given)
    assert str(inner) == shown
    assert str(DelegateWarning(given)) == shown


def test_a_quoted_error_of_ours_keeps_its_text() -> None:
    inner = InputError("expected 2, got 3.")
    assert str(ShapeError(f"Node 'n': {inner}.")) == "Node 'n': expected 2, got 3."

"""Names that a user may have meant."""

from __future__ import annotations

import pytest

from lite_delegate.basics.similar import near

NAMES = ("model/block/conv1", "model/block/relu", "Softmax", "Flatten")


@pytest.mark.parametrize(
    ("word", "close"),
    [
        ("Softmx", "; close: 'Softmax'"),
        ("...ock/relu", "; close: 'model/block/relu'"),
        ("block", "; close: 'model/block/conv1', 'model/block/relu'"),
        ("FLATTEN", "; close: 'Flatten'"),
        ("nonesuch", ""),
        ("...", ""),
        ("", ""),
    ],
)
def test_near(word: str, close: str) -> None:
    assert near(word, NAMES) == close


def test_no_more_than_three_are_named() -> None:
    assert near("a", [f"/layer{i}/a/x" for i in range(9)]).count("/layer") == 3

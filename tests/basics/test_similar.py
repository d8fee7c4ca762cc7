"""Names that a user may have meant."""

from __future__ import annotations

import pytest

from lite_delegate.basics.similar import did_you_mean

NAMES = ("model/block/conv1", "model/block/relu", "Softmax", "Flatten")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("Softmx", ". Did you mean 'Softmax'?"),
        ("...ock/relu", ". Did you mean 'model/block/relu'?"),
        ("mo...ock/relu", ". Did you mean 'model/block/relu'?"),
        ("block", ". Did you mean 'model/block/conv1' or 'model/block/relu'?"),
        ("FLATTEN", ". Did you mean 'Flatten'?"),
        ("nonesuch", ""),
        ("...", ""),
        ("", ""),
    ],
)
def test_did_you_mean(word: str, meant: str) -> None:
    assert did_you_mean(word, NAMES) == meant


def test_no_more_than_three_are_named() -> None:
    assert did_you_mean("a", [f"/layer{i}/a/x" for i in range(9)]).count("/layer") == 3


def test_three_names_are_a_list() -> None:
    assert did_you_mean("nod", ["node1", "node2", "node3"]) == ". Did you mean 'node3', 'node2' or 'node1'?"

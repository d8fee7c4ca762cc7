"""Groups of operators and their casts, in graphs drawn by hand."""

from __future__ import annotations

import pytest

from lite_delegate import PartitionOptions
from lite_delegate.partition import PartitionGraph, partition, quantize_chains

Q, CONV, ADD = "QuantDTypeCast", "Conv2DFusion", "AddFusion"


def graph(nodes: dict[str, tuple[str, str]], rejected: str = "") -> PartitionGraph:
    """Nodes by one letter each: their type and the letters of what they read."""
    number = {name: i for i, name in enumerate(nodes)}
    return PartitionGraph(
        tuple(tuple(sorted(number[p] for p in reads)) for _, reads in nodes.values()),
        tuple(name not in rejected for name in nodes),
        (),
        tuple(nodes),
        tuple(kind for kind, _ in nodes.values()),
    )


@pytest.mark.parametrize(
    ("nodes", "rejected", "expected"),
    [
        ({"a": (Q, ""), "b": (CONV, "a"), "c": (Q, "b")}, "", ["abc"]),
        ({"a": (Q, ""), "b": (CONV, "a"), "c": (Q, "b")}, "a", ["bc"]),
        ({"a": (Q, ""), "b": (CONV, "a"), "c": (Q, "b")}, "b", []),
        ({"a": (CONV, ""), "b": (Q, "a"), "c": (Q, "b"), "d": (CONV, "c")}, "", ["ab", "cd"]),
        ({"a": (CONV, ""), "b": (Q, "a"), "c": (CONV, "b")}, "", ["bc"]),
        ({"a": (Q, ""), "b": (Q, ""), "c": (ADD, "ab"), "d": (Q, "c"), "e": (CONV, "c")}, "", ["abc"]),
        ({"a": (Q, ""), "b": (CONV, "a"), "c": (CONV, "a")}, "", []),
        ({"a": (CONV, ""), "b": (CONV, "a")}, "", []),
    ],
)
def test_casts_go_with_the_operator_they_are_for(
    nodes: dict[str, tuple[str, str]], rejected: str, expected: list[str]
) -> None:
    assert quantize_chains(graph(nodes, rejected)) == tuple(frozenset(group) for group in expected)


def test_a_cast_stays_with_its_operator_when_that_is_rejected() -> None:
    found = graph({"a": (Q, ""), "b": (CONV, "a"), "c": (Q, "b")})
    options = PartitionOptions(groups=quantize_chains(found), deny_types={CONV})
    assert partition(found, options).subgraphs == ()

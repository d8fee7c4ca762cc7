"""Nodes that the user keeps off the delegate, by operator type and by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..basics.similar import did_you_mean
from ..delegate import RejectCode, Rejected
from ..errors import InputError
from .graph import PartitionGraph
from .options import PartitionOptions


def rejected_by_policy(graph: PartitionGraph, options: PartitionOptions) -> dict[int, Rejected]:
    """The claimed nodes that allow and deny lists keep off the delegate; a list of denied ones goes before."""
    types = [graph.words_of(node) for node in range(len(graph))]
    names: list[tuple[str, ...]] = [(name,) for name in graph.names]
    rules: list[tuple[list[tuple[str, ...]], Collection[str] | None, bool, str, str]] = [
        (types, options.deny_types, True, "operator type", "deny_types"),
        (names, options.deny_names, True, "node", "deny_names"),
        (types, options.allow_types, False, "operator type", "allow_types"),
        (names, options.allow_names, False, "node", "allow_names"),
    ]
    rejected: dict[int, Rejected] = {}
    for words, listed, denies, what, option in rules:
        if listed is None or (denies and not listed):
            continue
        text = "is in" if denies else "is not in"
        for node, found in enumerate(words):
            match = next((word for word in found if word in listed), None)
            if graph.claimed[node] and found and (match is not None) is denies:
                word = found[0] if match is None else match
                rejected.setdefault(node, Rejected(RejectCode.POLICY, f"{what} '{word}' {text} {option}"))
    return rejected


def check_words(options: PartitionOptions, names: Collection[str], types: Collection[str]) -> None:
    """Checks that all nodes and operator types that the options name exist.

    Args:
        options: the partition options.
        names: the names of all nodes of the model.
        types: the known operator types, in the model or elsewhere.

    Raises:
        InputError: a name or type is unknown; the message has similar ones.
    """
    _check("deny_types", "operator type", options.deny_types, types)
    _check("allow_types", "operator type", options.allow_types or (), types)
    _check("deny_names", "node", options.deny_names, names)
    _check("allow_names", "node", options.allow_names or (), names)
    for group in options.groups:
        _check("groups", "node", group, names)


def _check(option: str, what: str, words: Iterable[str], known: Collection[str]) -> None:
    unknown = sorted(set(words).difference(known))
    if not unknown:
        return
    more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
    meant = did_you_mean(unknown[0], known) or "."
    raise InputError(f"Partition option {option}: expected names of {what}s, found '{unknown[0]}'{more}{meant}")

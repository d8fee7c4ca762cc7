"""The names that a user may call nodes by: those of the graph, and those that the file has."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ...errors import InputError
from ...ir import Source
from ...partition import PartitionOptions
from ..binding.bind import BoundGraph
from ..records import is_cpu

Meanings = Mapping[str, Collection[str]]
"""The kernels that each name stands for, by their own names."""


def meanings_of(graphs: Sequence[BoundGraph]) -> dict[str, dict[str, None]]:
    """The kernels that names stand for: their own, and those of what they were in the file.

    1. The name of a kernel stands for it.
    2. The name of a node of the file, alone or with its path in front, stands for all kernels that it is part of.
    3. The name of what a node of the file is in (a loop, a call of a function) stands for all kernels inside.
    """
    found: dict[str, dict[str, None]] = {}
    for graph in graphs:
        for kernel in graph.kernels:
            for word in (kernel.name, *_words(kernel.node.sources)):
                found.setdefault(word, {})[kernel.name] = None
    return found


def in_kernel_names(options: PartitionOptions, meanings: Meanings, removed: Iterable[Source]) -> PartitionOptions:
    """The options with names of kernels in place of names of the file; names that nothing has stay.

    Args:
        options: what the user asked for.
        meanings: what names stand for.
        removed: the nodes of the file that are in none of the graph.

    Raises:
        InputError: a name is that of a removed node, or one kernel has two devices.
    """
    gone = {word: source for source in removed for word in _words([source]) if word not in meanings}

    def meant(option: str, words: Iterable[str]) -> frozenset[str]:
        return frozenset(name for word in words for name in _kernels(option, word, meanings, gone))

    return replace(
        options,
        allow_names=None if options.allow_names is None else meant("allow_names", options.allow_names),
        deny_names=meant("deny_names", options.deny_names),
        groups=tuple(meant("groups", group) for group in options.groups),
        affinity=_affinity(options.affinity, meanings, gone),
    )


def _words(sources: Iterable[Source]) -> Iterator[str]:
    for source in sources:
        yield from (source.name, source.full_name)
        yield from ("/".join(source.path[:end]) for end in range(1, len(source.path) + 1))


def _kernels(option: str, word: str, meanings: Meanings, gone: Mapping[str, Source]) -> Collection[str]:
    if word in gone:
        raise InputError(
            f"Partition option {option}: node '{word}' ({gone[word].op_type}) of the file is in no node any more: what "
            f"it gives is constant, or what it is given, or nobody reads it. Leave it out."
        )
    return meanings.get(word, (word,))


def _affinity(plan: Mapping[str, str], meanings: Meanings, gone: Mapping[str, Source]) -> dict[str, str]:
    found: dict[str, str] = {}
    named: dict[str, str] = {}
    for word, device in plan.items():
        for name in _kernels("affinity", word, meanings, gone):
            before = found.setdefault(name, device)
            first = named.setdefault(name, word)
            if before != device and not (is_cpu(before) and is_cpu(device)):
                raise InputError(
                    f"affinity: '{first}' and '{word}' are one node now, '{name}', which cannot run on '{before}' and "
                    f"on '{device}': name one device for them, or build the model with optimize='none'."
                )
    return found

"""The names by which a user may call nodes: the names in the graph, and the names in the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ....basics.data_class import dataclass
from ....delegate import Kernel
from ....errors import InputError
from ....ir import Graph, Source
from ....partition import PartitionOptions
from ...binding.bind import BoundGraph
from ...records import RemovedRecord, is_cpu

Meanings = Mapping[str, Collection[str]]
"""The kernels that each name stands for, by their own names."""


SHOWN = 3
"""Nodes that a message names."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The nodes of the file that are in no node of the graph.

    Attributes:
        graph: the main graph.
        meanings: the kernels that names stand for.
    """

    graph: Graph
    meanings: Meanings

    def named(self, word: str) -> Source | None:
        """The one that a name is of, None where it is of another node, or of none."""
        if word in self.meanings:
            return None
        return next((source for source in self.graph.removed if word in _words([source])), None)

    def into(self, source: Source) -> list[Source]:
        """The nodes of the file that read the results of a removed node and are in the graph."""
        return nearest_kept(self.graph, [source])[0]


def meanings_of(graphs: Sequence[BoundGraph]) -> dict[str, dict[str, None]]:
    """The kernels that names stand for: names of the graph, and names in the file.

    1. The name of a kernel stands for it.
    2. The name of a node of the file, alone or with its path in front, stands for all kernels that it is part of.
    3. The name of a loop or of a call of a function in the file stands for all kernels inside.
    4. "Conv-7", type and position in the file (from 0, in the graph that it is in), stands for that node, where no node
       has this as its name: it tells nodes of one name apart.
    """
    found: dict[str, dict[str, None]] = {}
    numbered: dict[str, dict[str, None]] = {}
    for graph in graphs:
        for kernel in graph.kernels:
            for word in (kernel.name, *_words(kernel.node.sources)):
                found.setdefault(word, {})[kernel.name] = None
            for source in kernel.node.sources:
                numbered.setdefault(source.numbered_name, {})[kernel.name] = None
    return {**numbered, **found}


def in_kernel_names(options: PartitionOptions, meanings: Meanings, graph: Graph) -> PartitionOptions:
    """The options with names of kernels in place of names of the file; unknown names stay.

    Args:
        options: the user's partition options.
        meanings: the kernels that each name stands for.
        graph: the main graph, which knows the removed nodes of the file.

    Raises:
        InputError: a name belongs to a removed node, or one kernel has two devices.
    """
    gone = Gone(graph, meanings)

    def meant(option: str, words: Iterable[str]) -> frozenset[str]:
        return frozenset(name for word in words for name in _kernels(option, word, meanings, gone))

    return replace(
        options,
        allow_names=None if options.allow_names is None else meant("allow_names", options.allow_names),
        deny_names=meant("deny_names", options.deny_names),
        groups=tuple(meant("groups", group) for group in options.groups),
        affinity=_affinity(options.affinity, meanings, gone),
    )


def nearest_kept(graph: Graph, sources: Iterable[Source]) -> list[list[Source]]:
    """The nodes of the file that read results of removed nodes, past other removed nodes; nearest first, for each.

    Hashing a source takes longer than following it: sources are numbers on the way.
    """
    removed = dict.fromkeys(graph.removed)
    numbers = {source: number for number, source in enumerate(removed)}
    following: list[list[int]] = []
    for source in removed:
        readers = graph.readers.get(source, ())
        following.append([numbers.setdefault(each, len(numbers)) for each in readers])
    named = list(numbers)
    return [[named[each] for each in _nearest(numbers[source], following)] for source in sources]


def _nearest(start: int, following: Sequence[Sequence[int]]) -> list[int]:
    """The followers of a number, past numbers whose own followers are known; nearest first."""
    seen, left = {start}, [start]
    found: list[int] = []
    for number in left:
        for each in following[number]:
            if each not in seen:
                seen.add(each)
                (left if each < len(following) else found).append(each)
    return found


def removed_records(graph: Graph) -> tuple[RemovedRecord, ...]:
    """The records of the file's nodes that are in no node of the graph, with the fate of their results."""
    removed = [each for each in graph.removed if each.place]
    return tuple(
        RemovedRecord(
            each.name, each.op_type, each.path, each.place, tuple(dict.fromkeys(reader.full_name for reader in readers))
        )
        for each, readers in zip(removed, nearest_kept(graph, removed), strict=True)
    )


def words_of(kernel: Kernel) -> tuple[str, str]:
    """Name and type of a kernel in messages: those of its first node in the file, if it comes from one."""
    first = next(iter(kernel.sources), None)
    return (kernel.name, kernel.type) if first is None else (first.full_name, first.op_type)


def _words(sources: Iterable[Source]) -> Iterator[str]:
    for source in sources:
        yield from (source.name, source.full_name)
        yield from ("/".join(source.path[:end]) for end in range(1, len(source.path) + 1))


def _kernels(option: str, word: str, meanings: Meanings, gone: Gone) -> Collection[str]:
    source = gone.named(word)
    if source is not None:
        went = ", ".join(f"'{each.full_name}' ({each.op_type})" for each in gone.into(source)[:SHOWN])
        raise InputError(
            f"Partition option {option}: node '{word}' ({source.op_type}) of the file is in no node any more: its "
            "outputs or its inputs are constant, or nobody reads it. "
            + (f"It went into {went}: name that, or leave it out." if went else "Leave it out.")
        )
    return meanings.get(word, (word,))


def _affinity(plan: Mapping[str, str], meanings: Meanings, gone: Gone) -> dict[str, str]:
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

"""Proof of the number of subgraphs: a path that forces as many, as blocks that can be counted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.words.one_line import printable
from .partition_data import PartitionData


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the path that the delegate runs, and the nodes between it and the next one.

    Attributes:
        nodes: names of the delegate's nodes.
        subgraphs: the names of their subgraphs: one, or more where the user's options split them.
        behind: names of what others run between this block and the next; none behind the last one of a graph.
    """

    nodes: tuple[str, ...]
    subgraphs: tuple[str, ...]
    behind: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """No order has fewer subgraphs of a delegate than there are blocks: no two of them can be in one.

    Attributes:
        head: the same for people.
        blocks: in the order of the path; where the model has subgraphs, graph by graph.
    """

    head: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """A node on the path: the graph it is in, and the subgraph that the delegate runs it in, None where others do."""

    name: str
    graph: str
    subgraph: str | None


def proofs(report: PartitionData) -> list[Proof]:
    """The proof of the report; of several delegates one for each that needs more than one subgraph."""
    if len(report.delegates) < 2:
        mine = {n.name: n.subgraph for n in report.nodes if n.subgraph is not None}
        found = [(report.minimum_subgraphs, "", report.minimum_proof, mine)]
    else:
        found = [
            (
                each.minimum_subgraphs,
                f" of '{printable(each.name)}'",
                each.minimum_proof,
                {n.name: n.subgraph for n in report.nodes if n.subgraph is not None and n.device == each.name},
            )
            for each in report.delegates
        ]
    graphs = {s.name: s.graph for s in report.subgraphs} | {n.name: n.graph for n in report.nodes}
    words = {name: label.name for name, label in report.labels().items()}
    return [
        Proof(_head(fewest, whose, path, graphs), tuple(_named(each, words) for each in _blocks(path, mine, graphs)))
        for fewest, whose, path, mine in found
        if fewest > 1
    ]


def _named(block: Block, words: Mapping[str, str]) -> Block:
    """The block with the names that nodes have in the model's file; subgraphs among them keep theirs."""
    nodes, behind = (tuple(words.get(name, name) for name in names) for names in (block.nodes, block.behind))
    return Block(nodes, block.subgraphs, behind)


def _head(fewest: int, whose: str, path: Collection[str], graphs: Mapping[str, str]) -> str:
    head = f"no order has fewer than {counted(fewest, 'subgraph')}{whose}"
    if len({graphs.get(name, "") for name in path}) > 1:
        return f"{head}: no two of the {fewest} blocks on these paths, one for each graph, can be one:"
    others = "others stand" if whose else "CPU nodes stand"
    return f"{head}: {others} between the {fewest} blocks of this path:"


def _blocks(path: Sequence[str], mine: Mapping[str, str], graphs: Mapping[str, str]) -> Iterator[Block]:
    steps = [_Step(name, graphs.get(name, ""), mine.get(name)) for name in path]
    stretches = [list(each) for _, each in groupby(steps, lambda step: (step.graph, step.subgraph is not None))]
    for stretch, following in zip(stretches, [*stretches[1:], []], strict=False):
        if stretch[0].subgraph is not None:
            behind = tuple(step.name for step in following if step.graph == stretch[0].graph)
            subgraphs = dict.fromkeys(step.subgraph for step in stretch if step.subgraph is not None)
            yield Block(tuple(step.name for step in stretch), tuple(subgraphs), behind)

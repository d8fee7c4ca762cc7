"""Cases of what-if: rejections of a delegate, counted by cause, operator, element type and node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import StrEnum

from ...basics.data_class import dataclass
from ...delegate import RejectCode
from ..graph import PartitionGraph
from .asked import Answers, AskedGraph, Cause

ABILITY = frozenset(
    {
        RejectCode.OPERATOR,
        RejectCode.ATTRIBUTE,
        RejectCode.DTYPE,
        RejectCode.SHAPE,
        RejectCode.RANK,
        RejectCode.NOT_CONSTANT,
    }
)
"""Codes of missing support. Other codes are choices, limits and failures, which support would not change."""
NO_CAUSE = Cause()


class WhatIfKind(StrEnum):
    """The things that are supposed to be supported."""

    OPERATOR = "operator"
    """All nodes of an operator type that the delegate rejects because it cannot do them."""
    NODE = "node"
    """One such node that is on the path which forces the number of subgraphs."""
    RULE = "rule"
    """All nodes, of any operator, that one rule of the delegate keeps away; the code where it does not say the rule."""
    DTYPE = "dtype"
    """All nodes that are rejected because of one element type."""
    SET = "set"
    """Several of these at once, single nodes left out."""


@dataclass(frozen=True, slots=True)
class Case:
    """Nodes that a delegate rejects, and that what-if supposes it to take.

    Attributes:
        delegate: its name.
        kind: the property that the nodes share.
        name: the operator type, the node's name, the rule ("" where the delegate states none), or the element type; ""
            for a set.
        type: the operator type where all nodes have one, else "".
        nodes: for each graph by number, its nodes of the case.
        codes: the codes of the rejections, with the number of nodes for each code.
        parts: the cases that a set is made of.
    """

    delegate: str
    kind: WhatIfKind
    name: str
    type: str
    nodes: Mapping[int, tuple[int, ...]]
    codes: Mapping[RejectCode, int]
    parts: tuple[Case, ...] = ()

    @property
    def members(self) -> frozenset[tuple[int, int]]:
        """The nodes, each with the number of its graph."""
        return frozenset((number, node) for number, nodes in self.nodes.items() for node in nodes)


@dataclass(frozen=True, slots=True)
class RejectedNode:
    """A node that a delegate rejects because it cannot run it, with further facts about the node."""

    delegate: str
    graph: int
    node: int
    name: str
    type: str
    code: RejectCode
    cause: Cause


def rejections(asked: Sequence[AskedGraph]) -> list[RejectedNode]:
    """The rejected nodes that support could change: nodes beyond the delegate's means that wait for no shape."""
    return [each for each in _rejected(asked) if not each.cause.wants_shapes]


def waiting_for_shapes(asked: Sequence[AskedGraph], taken: Sequence[Collection[int]]) -> tuple[str, ...]:
    """Names of the nodes on the CPU that known shapes alone would change: they compute shapes, or wait for some."""
    found = (each for each in _rejected(asked) if each.cause.wants_shapes and each.node not in taken[each.graph])
    return tuple(dict.fromkeys(each.name for each in found))


def _rejected(asked: Sequence[AskedGraph]) -> Iterator[RejectedNode]:
    delegates = dict.fromkeys(answers.delegate for each in asked for answers in each.answers)
    for delegate in delegates:
        for number, each in enumerate(asked):
            for answers in each.answers:
                if answers.delegate == delegate:
                    yield from _rejected_by(answers, number, each.graph)


def _rejected_by(answers: Answers, number: int, graph: PartitionGraph) -> Iterator[RejectedNode]:
    """The nodes of a graph that are beyond a delegate, in order."""
    for node, code in sorted(answers.rejected.items()):
        cause = answers.causes.get(node, NO_CAUSE)
        if code in ABILITY or (code is RejectCode.LIMIT and cause.rule):
            yield RejectedNode(answers.delegate, number, node, graph.names[node], graph.types[node], code, cause)


def cases_by_cause(found: Sequence[RejectedNode], taken: Sequence[Collection[int]]) -> list[Case]:
    """One case for each operator type, rule and element type of which a node is run by no delegate."""
    return [
        *_grouped(WhatIfKind.OPERATOR, found, taken, lambda r: (r.type, "")),
        *_grouped(WhatIfKind.RULE, found, taken, _rule),
        *_grouped(WhatIfKind.DTYPE, found, taken, lambda r: (r.cause.dtype, "") if r.cause.dtype else None),
    ]


def _rule(rejection: RejectedNode) -> tuple[str, str] | None:
    """The rule and its code; a lacking operator is a case of its own already."""
    return None if rejection.code is RejectCode.OPERATOR else (rejection.cause.rule, rejection.code.value)


def cases_by_node(
    found: Sequence[RejectedNode], taken: Sequence[Collection[int]], path: Collection[str]
) -> Iterator[Case]:
    """One case for each node of a path that no delegate runs."""
    names = set(path)
    for each in found:
        if each.name in names and each.node not in taken[each.graph]:
            yield _case(WhatIfKind.NODE, each.name, [each])


def union(parts: Sequence[Case]) -> Case:
    """All nodes of several cases of one delegate; a node that two have counts once in ``nodes``, twice in ``codes``."""
    members = sorted(frozenset().union(*(part.members for part in parts)))
    codes: Counter[RejectCode] = Counter()
    for part in parts:
        codes.update(part.codes)
    return Case(parts[0].delegate, WhatIfKind.SET, "", "", _by_graph(members), _counted(codes), tuple(parts))


def _grouped(
    kind: WhatIfKind,
    found: Sequence[RejectedNode],
    taken: Sequence[Collection[int]],
    key: Callable[[RejectedNode], tuple[str, str] | None],
) -> Iterator[Case]:
    groups: dict[tuple[str, tuple[str, str]], list[RejectedNode]] = {}
    for each in found:
        common = key(each)
        if common is not None:
            groups.setdefault((each.delegate, common), []).append(each)
    for (_, (name, _)), group in groups.items():
        if any(each.node not in taken[each.graph] for each in group):
            yield _case(kind, name, group)


def _case(kind: WhatIfKind, name: str, group: Sequence[RejectedNode]) -> Case:
    types = {each.type for each in group}
    return Case(
        group[0].delegate,
        kind,
        name,
        next(iter(types)) if len(types) == 1 else "",
        _by_graph([(each.graph, each.node) for each in group]),
        _counted(Counter(each.code for each in group)),
    )


def _by_graph(members: Sequence[tuple[int, int]]) -> dict[int, tuple[int, ...]]:
    numbers = dict.fromkeys(number for number, _ in members)
    return {number: tuple(node for each, node in members if each == number) for number in numbers}


def _counted(codes: Counter[RejectCode]) -> dict[RejectCode, int]:
    return {code: codes[code] for code in RejectCode if codes[code]}

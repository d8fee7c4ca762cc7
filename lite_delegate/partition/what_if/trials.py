"""Trials: a model is partitioned again as if a delegate supported more, and compared with the present partition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...basics.data_class import dataclass
from ..options import PartitionOptions
from .asked import AskedGraph
from .cases import Case
from .turns import NOTHING, Claims, TakenParts, take_turns


@dataclass(frozen=True, slots=True)
class Totals:
    """A partition in numbers.

    Attributes:
        subgraphs: the number of subgraphs.
        kernels: the number of nodes in them.
        boundary_bytes: the bytes that cross their boundaries.
        time_us: the estimated time of the model, None where it is not known.
    """

    subgraphs: int
    kernels: int
    boundary_bytes: int
    time_us: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """The changes that a case would bring.

    Attributes:
        case: is supposed.
        before: as planned now.
        after: with the case.
        by_time: whether time decides which of two differences is the larger gain.
    """

    case: Case
    before: Totals
    after: Totals
    by_time: bool = False

    @property
    def rank(self) -> tuple[float, ...]:
        """A sort key; the largest gain comes first: fewer subgraphs, then bytes, then more kernels, then less time.

        Time goes first where placement by gain has times. Where nothing is delegated now, more kernels go first: each
        subgraph is one more.
        """
        before, after = self.before, self.after
        known = before.time_us is not None and after.time_us is not None
        time = (after.time_us or 0.0) - (before.time_us or 0.0) if known else 0.0
        subgraphs, kernels = float(after.subgraphs - before.subgraphs), float(before.kernels - after.kernels)
        nbytes = float(after.boundary_bytes - before.boundary_bytes)
        if not before.subgraphs:
            return (time if self.by_time else 0.0, kernels, subgraphs, nbytes, time)
        return (time if self.by_time else 0.0, subgraphs, nbytes, kernels, time)


class Trials:
    """Partitions of a model with more claims; each set of nodes is tried once.

    Args:
        asked: the graphs of a model.
        options: the user's partition options.

    Attributes:
        base: the present partition of the graphs.
        before: the present partition in numbers.
        taken: for each graph, the nodes that a delegate runs now.
        nodes: the number of nodes of all graphs.
    """

    def __init__(self, asked: Sequence[AskedGraph], options: PartitionOptions) -> None:
        self._asked = asked
        self._options = options
        self._known: dict[tuple[str, frozenset[tuple[int, int]]], Totals] = {}
        self._by_time = any(answers.times is not None for each in asked for answers in each.answers)
        self.base = [take_turns(each, options) for each in asked]
        self.before = _totals(self.base)
        self.taken = [{node for _, nodes in each.subgraphs for node in nodes} for each in self.base]
        self.nodes = sum(len(each.graph) for each in asked)

    def difference(self, case: Case) -> Difference:
        """The changes that a case would bring: a partition with the case's nodes claimed, against the present one."""
        key = (case.delegate, case.members)
        if key not in self._known:
            self._known[key] = _totals(self._with(case))
        return Difference(case, self.before, self._known[key], self._by_time)

    def _with(self, case: Case) -> list[TakenParts]:
        """The parts of all graphs; a graph with nodes of the case is partitioned again with the added claims."""

        def claims(number: int) -> Claims:
            return {case.delegate: case.nodes[number]} if number in case.nodes else NOTHING

        return [
            take_turns(each, self._options, claims(number)) if number in case.nodes else self.base[number]
            for number, each in enumerate(self._asked)
        ]


def _totals(taken: Iterable[TakenParts]) -> Totals:
    each = list(taken)
    times = [t.time_us for t in each if t.time_us is not None]
    return Totals(
        sum(len(t.subgraphs) for t in each),
        sum(t.kernels for t in each),
        sum(t.boundary_bytes for t in each),
        sum(times) if len(times) == len(each) else None,
    )

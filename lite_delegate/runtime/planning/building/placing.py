"""Placing: one delegate gets its part of one graph, with as many repairs as it takes to make all graph kernels that can
be made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ....basics.counted import counted
from ....basics.data_class import dataclass
from ....basics.failures import said
from ....delegate import Delegate, Kernel, RejectCode, Rejected
from ....errors import DelegateBuildError
from ....partition import PartitionOptions
from ...drafting.draft import GraphDraft
from ..claims.partitioning import Planned
from .bisecting import try_parts
from .building import BuildOutcome, Previous, attempt, reuse
from .plan_kernels import PlanKernels
from .tries import Tries

PlanFunction = Callable[[Mapping[Kernel, Rejected]], Planned]
"""Plans the graph, without kernels that turned out to be impossible."""


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A graph after a delegate's turn.

    Attributes:
        draft: the kernels, graph kernels in place of those that the delegate runs.
        rejected: claimed kernels that it does not run, with the reason.
        errors: the rejected kernels whose graph kernels could not be made, with the error.
        note: a sentence on the tries, "" where the first try went well.
        unfollowed: the error of a graph kernel of the plan before when it was told of other shapes; None: no error.
    """

    draft: GraphDraft
    rejected: Mapping[Kernel, Rejected]
    errors: Mapping[Kernel, Exception]
    note: str = ""
    unfollowed: Exception | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """One plan and its outcome.

    Attributes:
        without: the kernels that the plan leaves out, because earlier rounds found them impossible.
        planned: the plan.
        guilty: kernels that this round found impossible.
        unsolved: kernels of parts that were not made and not split further.
        untried: kernels that failed only beside guilty kernels; the next round tries them.
    """

    without: Mapping[Kernel, Exception]
    planned: Planned
    guilty: Mapping[Kernel, Exception]
    unsolved: Mapping[Kernel, Exception]
    untried: Collection[Kernel] = ()

    @property
    def draft(self) -> GraphDraft:
        return self.planned.draft

    @property
    def errors(self) -> dict[Kernel, Exception]:
        return {**self.unsolved, **self.guilty, **self.without}

    def made_by(self, standing: Collection[Kernel]) -> dict[tuple[Kernel, ...], Kernel]:
        """The present graph kernels, ``standing`` left out, by the kernels that they stand for."""
        return {run: kernel for kernel, run in self.draft.replaced.items() if kernel not in standing}

    def count(self) -> int:
        """The number of nodes that run on delegates."""
        return sum(map(len, self.draft.replaced.values()))


class Placing:
    """One delegate's turn at one graph.

    Args:
        delegate: whose turn it is.
        plan: plans the graph.
        options: the user's partition options.
        repairs: False: a run that fails once stays off the delegate as a whole.
        made: the graph kernels so far.
    """

    def __init__(
        self, delegate: Delegate, plan: PlanFunction, options: PartitionOptions, made: PlanKernels, *, repairs: bool
    ) -> None:
        self._delegate = delegate
        self._plan = plan
        self._options = options
        self._made = made
        self._repairs = repairs and options.repair_tries != 0
        self._tries = Tries(options.repair_tries)
        self._standing: frozenset[Kernel] = frozenset()
        self._first = BuildOutcome([])
        self._unfollowed: Exception | None = None

    def run(self, previous: Previous | None) -> Placed:
        """Plans, builds and repairs: a failed run is bisected, guilty kernels are left out, and the remaining kernels
        planned anew.

        Each round finds further kernels that are impossible, so it ends. It ends earlier where the tries do not
        suffice for the next round. The round with most nodes on the delegate counts.
        """
        planned = self._plan({})
        self._standing = frozenset(planned.draft.replaced)
        if previous is not None:
            self._unfollowed = reuse(previous, self._delegate, planned.draft, self._made)
        last = best = self._built({}, planned)
        while last.guilty and self._repairs and (following := self._next(last)) is not None:
            last = following
            best = best if best.count() > last.count() else last
        if best is not last:
            best = self._again(best, last)
        return self._placed(best)

    def _built(self, without: Mapping[Kernel, Exception], planned: Planned) -> _Round:
        """One round on a plan that keeps the usable graph kernels of the last round."""
        result = attempt(self._delegate, planned, self._made, self._tries if self._repairs else Tries(0))
        if not without:
            self._first = result
        left_out = result.left_out()
        if not self._repairs:
            failed = {kernel: error for failure in result.failures for kernel, error in failure.errors().items()}
            return _Round(without, planned, {}, {**left_out, **failed})
        groups = self._options.groups
        found = try_parts(self._delegate, planned, result.failures, groups, self._tries, self._made)
        return _Round(without, planned, found.guilty, {**left_out, **found.unsolved}, found.untried)

    def _next(self, last: _Round) -> _Round | None:
        """The round without the guilty kernels of the last round; None where the tries do not suffice for it."""
        without = {**last.without, **last.guilty}
        planned = self._planned(without)
        there = last.made_by(self._standing)
        if planned.has_runs:
            kept = {run: there[run] for run in planned.draft.runs if run in there}
            new = len(planned.draft.runs) - len(kept)
        else:
            kept = _apart(there, planned.draft)
            new = int(len(kept) < len(there) or bool(last.untried))
        if not self._tries.take(new):
            return None
        self._made.give_up(kernel for run, kernel in there.items() if run not in kept)
        for run, kernel in kept.items():
            planned.draft.adopt(run, kernel)
        return self._built(without, planned) if new else _Round(without, planned, {}, last.unsolved)

    def _again(self, wanted: _Round, last: _Round) -> _Round:
        """Makes the graph kernels of an earlier round once more, because later rounds ended with fewer nodes."""
        parts = list(wanted.made_by(self._standing))
        self._made.give_up(last.made_by(self._standing).values())
        planned = self._planned(wanted.without)
        errors: dict[Kernel, Exception] = {}
        for part in parts:
            planned.draft.offer([part])
            result = attempt(self._delegate, planned, self._made, self._tries)
            errors.update(result.left_out())
            for failure in result.failures:
                errors.update(failure.errors())
        return replace(wanted, planned=planned, unsolved={**wanted.unsolved, **errors})

    def _planned(self, without: Mapping[Kernel, Exception]) -> Planned:
        return self._plan({kernel: _rejection(error) for kernel, error in without.items()})

    def _placed(self, last: _Round) -> Placed:
        parts = last.made_by(self._standing)
        surplus = surplus_parts(list(parts), self._options) if self._first.failures else {}
        self._made.give_up(parts[part] for part in surplus)
        for part in surplus:
            last.draft.restore(parts[part], DelegateBuildError(surplus[part].reason))
        rejected = {**last.planned.rejected, **{kernel: _rejection(error) for kernel, error in last.errors.items()}}
        rejected |= {kernel: why for part, why in surplus.items() for kernel in part}
        return Placed(last.draft, rejected, last.errors, self._note(last), self._unfollowed)

    def _note(self, last: _Round) -> str:
        """A note on the kernels that failed at first and their place now, "" where none failed."""
        failed, name = self._first.failures, self._delegate.name
        if not failed and self._first.stopped is None:
            return ""
        if not failed and self._first.stopped is not None:
            left_out = _stay_off(len(self._first.left_out()))
            return f"Delegate '{name}': its build failed ({said(self._first.stopped)}), {left_out}"
        what = _first([f"{_ends(failure.run)} ({said(failure.error)})" for failure in failed])
        left = [f"'{kernel.name}' ({kernel.type}): {said(error)}" for kernel, error in last.errors.items()]
        end = f"{_stay_off(len(left))}: {_first(left)}" if left else "all of its nodes are in smaller subgraphs now"
        tried = f"tried {counted(self._tries.used, 'part')}" if self._repairs else "no parts were tried"
        return f"Delegate '{name}' could not compile the subgraph {what}; {tried}, {end}"


def surplus_parts(parts: Sequence[tuple[Kernel, ...]], options: PartitionOptions) -> dict[tuple[Kernel, ...], Rejected]:
    """The subgraphs that the user's limits do not allow, now that some were split: the smallest ones."""
    least, most = options.min_kernels or 0, options.max_subgraphs
    rejected = {
        part: Rejected(
            RejectCode.TOO_SMALL,
            f"its subgraph did not compile; the part with it has {counted(len(part), 'kernel')}, "
            f"min_kernels is {least}",
        )
        for part in parts
        if len(part) < least
    }
    left = sorted((part for part in parts if part not in rejected), key=len, reverse=True)
    for part in left[len(left) if most is None else most :]:
        rejected[part] = Rejected(
            RejectCode.LIMIT, f"its subgraph did not compile; with its parts there are more than max_subgraphs {most}"
        )
    return rejected


def _apart(there: Mapping[tuple[Kernel, ...], Kernel], draft: GraphDraft) -> dict[tuple[Kernel, ...], Kernel]:
    """Graph kernels that do not touch each other in a model: no longer stretches can be made of them."""
    owner = {kernel: run for run in there for kernel in run}
    order = [owner.get(kernel) for kernel in draft]
    touching = {run for pair in pairwise(order) if pair[0] != pair[1] and None not in pair for run in pair}
    return {run: kernel for run, kernel in there.items() if run not in touching}


def _rejection(error: Exception) -> Rejected:
    return Rejected(RejectCode.COMPILE_FAILED, said(error))


def _ends(run: Sequence[Kernel]) -> str:
    return (
        f"of '{run[0].name}'"
        if len(run) == 1
        else f"of {counted(len(run), 'kernel')} from '{run[0].name}' to '{run[-1].name}'"
    )


def _stay_off(count: int) -> str:
    return counted(count, "kernel stays off it", "kernels stay off it")


def _first(texts: Sequence[str], most: int = 3) -> str:
    return "; ".join(texts[:most]) + (f"; and {len(texts) - most} more" if len(texts) > most else "")

"""Building graph kernels: the delegate replaces its runs, and what cannot be made leaves nothing behind."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from ...data_class import dataclass
from ...delegate import Boundary, Delegate, Kernel, cancel_point
from ...errors import DelegateBuildError, DeviceLost
from ...failures import said
from ...unforeseen import FAILURES
from ..drafting.draft import GraphDraft
from ..lifetimes.shared import Shared
from .made import Made
from .partitioning import Planned
from .sameness import same_kernels
from .tries import Tries

_log = logging.getLogger("lite_delegate")

Run = tuple[Kernel, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """A stretch of kernels for which no graph kernel could be made, and what was raised."""

    run: Run
    error: Exception

    @property
    def is_lost(self) -> bool:
        """True if the device went away, so that trying again is of no use."""
        error: BaseException | None = self.error
        while error is not None and not isinstance(error, DeviceLost):
            error = error.__cause__
        return error is not None


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """The outcome of letting a delegate build.

    Attributes:
        failures: the stretches for which no graph kernel could be made.
        stopped: what the last call of ``build`` raised; None: it returned.
        rest: what it was offered, and had neither made nor failed on when it raised.
        is_explained: whether something of ``failures`` tells why it raised, so that ``rest`` is not to blame.
    """

    failures: list[Failure]
    stopped: Exception | None = None
    rest: tuple[Run, ...] = ()
    is_explained: bool = True

    def left_out(self) -> dict[Kernel, Exception]:
        """The kernels of the rest, and why they are there."""
        if self.stopped is None:
            return {}
        error = DelegateBuildError(f"left out by its build, which failed: {said(self.stopped)}")
        error.__cause__ = self.stopped
        return {kernel: error for run in self.rest for kernel in run}


def attempt(delegate: Delegate, planned: Planned, made: Made, tries: Tries) -> Attempt:
    """Lets the delegate replace what the model offers, and prepares what it made. What fails is taken out again.

    A ``build`` that raises is blamed for what it had in hand (``InHand``), and called again for what it had not come
    to. Each time there is less of that, so it ends; it ends with a rest where nothing tells what the ``build`` failed
    on, where the device is lost, and when the tries are used up.

    Args:
        delegate: builds.
        planned: the graph, and what is offered.
        made: gets what is made.
        tries: one is taken for each further call.
    """
    draft = planned.draft
    failures: list[Failure] = []
    while True:
        failed, stopped = _built(delegate, planned, made)
        cancel_point()  # what a delegate raised because of it is no failure
        failures += failed
        rest = _remaining(draft, {kernel for failure in failures for kernel in failure.run})
        if stopped is None:
            return Attempt(failures)
        goes_on = failed and rest and not Failure((), stopped).is_lost and tries.take()
        if not goes_on:
            return Attempt(failures, stopped, rest, is_explained=bool(failed))
        draft.offer(rest)


def _built(delegate: Delegate, planned: Planned, made: Made) -> tuple[list[Failure], Exception | None]:
    """One call of ``build``: what it failed on, and what it raised, None if it returned."""
    draft = planned.draft
    draft.begin()
    stopped: Exception | None = None
    try:
        delegate.build(planned.model)
    except FAILURES as e:  # a delegate's own code may raise anything
        stopped = e
    for kernel in draft.replaced:
        try:
            made.prepare(kernel)
        except FAILURES as e:
            draft.restore(kernel, e)
    failures = [Failure(run, error) for failed, error in draft.failed_runs for run in draft.stretches(set(failed))]
    if stopped is not None:
        known = {kernel for failure in failures for kernel in failure.run}
        failures += [Failure(run, stopped) for run in draft.stretches(draft.in_hand(stopped) - known)]
    return failures, stopped


def _remaining(draft: GraphDraft, failed: set[Kernel]) -> tuple[Run, ...]:
    """Stretches that may still be replaced and did not fail: planned runs as they are, and the rest of others."""
    left = {kernel for run in draft.remaining for kernel in run} - failed
    whole = [run for run in draft.runs if left.issuperset(run)]
    others = draft.stretches(left.difference(*whole))
    return tuple(sorted((*whole, *others), key=lambda run: draft.order.position(run[0])))


@dataclass(frozen=True, slots=True, eq=False)
class Previous:
    """The graph kernels of a plan for other shapes.

    Attributes:
        known: by the name of the delegate and those of the nodes that they stand for.
        runs: the nodes that each stands for.
        held: what that plan holds of each.
    """

    known: Mapping[tuple[str, tuple[str, ...]], Kernel]
    runs: Mapping[Kernel, Run]
    held: Mapping[Kernel, Shared]


def reuse(previous: Previous, delegate: Delegate, draft: GraphDraft, made: Made) -> None:
    """Forks a delegate's graph kernels of the previous plan, if all runs have one that follows the new shapes.

    All or none: a delegate that would build one part anew builds all of them.
    """
    found: list[tuple[Run, Kernel, Kernel]] = []
    for run in draft.runs:
        old = previous.known.get((delegate.name, tuple(k.name for k in run)))
        if old is None or not same_kernels(previous.runs[old], run):
            return
        follower = _follower(old, draft.boundary_of(run))
        if follower is None:
            return
        found.append((run, old, follower))
    for run, old, follower in found:
        made.borrow(follower, previous.held[old], old.name)
        draft.adopt(run, follower)


def _follower(old: Kernel, boundary: Boundary) -> Kernel | None:
    """A graph kernel like ``old`` for other tensors; None where it cannot follow."""
    try:
        new = old.fork(boundary.inputs, boundary.outputs)
        if new is not None:
            new.resize()
    except FAILURES as e:  # whatever a delegate raises here only costs a new build
        _log.debug("graph kernel '%s' is built anew: %s", old.name, e)
        return None
    return new

"""Building: the delegate replaces its runs with graph kernels; a build that fails leaves nothing behind."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from ....basics.data_class import dataclass
from ....basics.failures import Told, said
from ....basics.unforeseen import FAILURES
from ....delegate import Boundary, Delegate, Kernel, cancel_point
from ....delegate.calls import calls
from ....errors import DelegateBuildError, DeviceLost, KernelsNotTaken, ResizeUnsupported
from ...drafting.draft import GraphDraft
from ...lifetimes.shared import Shared
from ..claims.partitioning import Planned
from ..shapes.sameness import same_kernels
from .plan_kernels import PlanKernels
from .tries import Tries

_log = logging.getLogger("lite_delegate")

KernelRun = tuple[Kernel, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """A stretch of kernels for which no graph kernel could be made, and the error."""

    run: KernelRun
    error: Exception

    def blamed(self) -> dict[Kernel, Exception]:
        """The kernels of the stretch that the error itself names, each with its own reason."""
        if not isinstance(self.error, KernelsNotTaken):
            return {}
        reasons = self.error.reasons
        return {k: _because(self.error, reasons[k.name]) for k in self.run if k.name in reasons}

    def errors(self) -> dict[Kernel, Exception]:
        """The error to report for each kernel of the stretch."""
        return {**dict.fromkeys(self.run, self.error), **self.blamed()}

    @property
    def is_lost(self) -> bool:
        """True if the device went away, so that trying again is of no use."""
        error: BaseException | None = self.error
        while error is not None and not isinstance(error, DeviceLost):
            error = error.__cause__
        return error is not None


@dataclass(frozen=True, slots=True, eq=False)
class BuildOutcome:
    """The outcome of letting a delegate build.

    Attributes:
        failures: the stretches for which no graph kernel could be made.
        stopped: the error of the last call of ``build``; None: the call returned.
        rest: the offered stretches that it had neither made nor failed on when it raised.
        taken_back: the kernels that it had replaced, which are back because it never returned.
        is_explained: whether one of ``failures`` explains the error, so that ``rest`` is not to blame.
    """

    failures: list[Failure]
    stopped: Exception | None = None
    rest: tuple[KernelRun, ...] = ()
    taken_back: tuple[KernelRun, ...] = ()
    is_explained: bool = True

    def left_out(self) -> dict[Kernel, Exception]:
        """The kernels that were left over or taken back, with the reasons."""
        if self.stopped is None:
            return {}
        left = _because(self.stopped, f"left out by its build, which failed: {said(self.stopped)}")
        back = _because(self.stopped, f"taken back, since its build failed: {said(self.stopped)}")
        found = {kernel: left for run in self.rest for kernel in run}
        return found | {kernel: back for run in self.taken_back for kernel in run}


def _because(error: Exception, reason: str) -> Exception:
    told = DelegateBuildError(reason)
    told.__cause__ = error
    return told


def attempt(delegate: Delegate, planned: Planned, made: PlanKernels, tries: Tries) -> BuildOutcome:
    """Lets the delegate replace the offered runs, and prepares its graph kernels. Failed ones are taken out again.

    Where a ``build`` raises, the stretches that it had in hand (``InHand``) fail, and it is called again for the
    stretches that it had not come to, until it returns. Each call has fewer stretches, so this ends; it ends with a
    rest where nothing tells the stretch that the ``build`` failed on, where the device is lost, and when the tries are
    used up. The stretches that it had replaced are taken back then: a ``build`` may load all of its graph kernels at
    its end, as delegates of MindSpore Lite do.

    Args:
        delegate: builds.
        planned: the graph, and the offered stretches.
        made: gets the graph kernels.
        tries: the remaining tries; each further call takes one.
    """
    draft = planned.draft
    before = frozenset(draft.replaced)
    failures: list[Failure] = []
    while True:
        failed, stopped = _built(delegate, planned, made)
        cancel_point()  # what a delegate raised because of it is no failure
        failures += failed
        if stopped is None:
            return BuildOutcome(failures)
        rest = _remaining(draft, {kernel for failure in failures for kernel in failure.run})
        new = [kernel for kernel in draft.replaced if kernel not in before]
        goes_on = failed and (rest or new) and not Failure((), stopped).is_lost and tries.take()
        if not goes_on:
            back = _taken_back(new, draft, made, stopped)
            is_known = failed or planned.has_runs or not back  # else what it took is all that is known to be its own
            return BuildOutcome(failures, stopped, rest if is_known else (), back, is_explained=bool(failed))
        draft.offer(rest)


def _taken_back(
    kernels: Sequence[Kernel], draft: GraphDraft, made: PlanKernels, error: Exception
) -> tuple[KernelRun, ...]:
    """Takes the graph kernels out again that a ``build`` left when it raised; returns the stretches they stood for."""
    runs = tuple(draft.replaced[kernel] for kernel in kernels)
    made.give_up(kernels)
    for kernel in kernels:
        draft.restore(kernel, error)
    return runs


def _built(delegate: Delegate, planned: Planned, made: PlanKernels) -> tuple[list[Failure], Exception | None]:
    """One call of ``build``: the stretches that it failed on, and its error, None if it returned."""
    draft = planned.draft
    draft.begin()
    ended = _tried(planned)
    if ended and not draft.remaining:
        return ended, None
    stopped: Exception | None = None
    try:
        calls.build(delegate, planned.model)
    except FAILURES as e:  # a delegate's own code may raise anything
        stopped = e
    for kernel in draft.replaced:
        try:
            made.prepare(kernel)
        except FAILURES as e:
            draft.restore(kernel, e)
    failures = ended
    failures += [Failure(run, error) for failed, error in draft.failed_runs for run in draft.stretches(set(failed))]
    if stopped is not None:
        known = {kernel for failure in failures for kernel in failure.run}
        failures += [Failure(run, stopped) for run in draft.stretches(draft.in_hand(stopped) - known)]
    return failures, stopped


def _tried(planned: Planned) -> list[Failure]:
    """The stretches that ended the process in which they were tried; they are not offered any more."""
    draft = planned.draft
    if planned.trial is None:
        return []
    offered = draft.remaining
    errors = {run: planned.trial.error(run, draft.boundary_of(run)) for run in offered}
    failures = [Failure(run, error) for run, error in errors.items() if error is not None]
    if failures:
        draft.offer([run for run, error in errors.items() if error is None])
    return failures


def _remaining(draft: GraphDraft, failed: set[Kernel]) -> tuple[KernelRun, ...]:
    """Stretches that may still be replaced and did not fail: whole planned runs, and the rest of replaced ones."""
    left = {kernel for run in draft.remaining for kernel in run} - failed
    whole = [run for run in draft.runs if left.issuperset(run)]
    others = draft.stretches(left.difference(*whole))
    return tuple(sorted((*whole, *others), key=lambda run: draft.order.position(run[0])))


@dataclass(frozen=True, slots=True, eq=False)
class Previous:
    """The graph kernels of the plan for other shapes.

    Attributes:
        known: the graph kernels, by the names of the delegate and of the nodes that they stand for.
        runs: the nodes that each stands for.
        held: the plan's hold on each.
    """

    known: Mapping[tuple[str, tuple[str, ...]], Kernel]
    runs: Mapping[Kernel, KernelRun]
    held: Mapping[Kernel, Shared]


def reuse(previous: Previous, delegate: Delegate, draft: GraphDraft, made: PlanKernels) -> Exception | None:
    """Forks a delegate's graph kernels of the previous plan, if all runs have one that follows the new shapes.

    All or none: a delegate that would build one part anew builds all of them.

    Returns:
        What one raised that should have followed; None where all follow, or one says that it cannot.
    """
    found: list[tuple[KernelRun, Kernel, Kernel]] = []
    for run in draft.runs:
        old = previous.known.get((delegate.name, tuple(k.name for k in run)))
        if old is None or not same_kernels(previous.runs[old], run):
            return None
        try:
            follower = _follower(old, draft.boundary_of(run))
        except FAILURES as e:  # whatever a delegate raises here only costs a new build
            _log.debug("graph kernel '%s' is built anew: %s", old.name, e)
            return None if isinstance(e, ResizeUnsupported) else e
        if follower is None:
            return None
        found.append((run, old, follower))
    for run, old, follower in found:
        made.borrow(follower, previous.held[old], old.name)
        draft.adopt(run, follower)
    return None


def _follower(old: Kernel, boundary: Boundary) -> Kernel | None:
    """A graph kernel like ``old`` for other tensors; None where it cannot be forked.

    Raises:
        ResizeUnsupported: it cannot follow.
        Exception: whatever the delegate's code raises.
    """
    new = old.fork(boundary.inputs, boundary.outputs)
    if new is not None:
        calls.resize(new)
    return new


def unfollowed(error: Exception) -> Told:
    """The message to the user about a graph kernel that fails when it has to follow new shapes."""
    return Told(f"{said(error)}; the model is planned anew for the new shapes.", error)

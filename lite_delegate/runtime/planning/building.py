"""Building graph kernels: the delegate replaces its runs, and what cannot be made leaves nothing behind."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from ...delegate import Boundary, Delegate, DelegateModel, Kernel
from ...errors import DeviceLost
from ..execution.plan import ExecutionPlan

_log = logging.getLogger("lite_delegate")


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """A stretch of kernels for which no graph kernel could be made, and what was raised."""

    run: tuple[Kernel, ...]
    error: Exception

    @property
    def is_lost(self) -> bool:
        """Whether the device went away, so that trying again is of no use."""
        error: BaseException | None = self.error
        while error is not None and not isinstance(error, DeviceLost):
            error = error.__cause__
        return error is not None


class Made:
    """The graph kernels of a plan that is being made: each is prepared once, and given up where it is of no use.

    Args:
        plan_only: they are not going to run: preparing them is only rehearsed.
    """

    def __init__(self, plan_only: bool = False) -> None:
        self._plan_only = plan_only
        self._known: set[Kernel] = set()
        self._borrowed: set[Kernel] = set()

    def borrow(self, kernel: Kernel) -> None:
        """Takes note of a fork of another plan's graph kernel, with which it shares what that one prepared.

        It is neither prepared nor released.
        """
        self._known.add(kernel)
        self._borrowed.add(kernel)

    def prepare(self, kernel: Kernel) -> None:
        """Prepares a graph kernel, unless that was done; one that cannot be prepared is given up.

        Raises:
            Exception: whatever the delegate's code raises.
        """
        if kernel in self._known:
            return
        self._known.add(kernel)
        try:
            if self._plan_only:
                kernel.rehearse()
            else:
                kernel.prepare()
        except Exception:
            self.give_up([kernel])
            raise

    def give_up(self, kernels: Iterable[Kernel]) -> None:
        """Releases graph kernels that were made for this plan; others stay as they are."""
        for kernel in kernels:
            if kernel in self._known:
                self._known.discard(kernel)
                if kernel not in self._borrowed:
                    _release(kernel)

    def give_up_all(self) -> None:
        """Releases all graph kernels that were made for this plan."""
        self.give_up(tuple(self._known))


def _release(kernel: Kernel) -> None:
    try:
        kernel.release()
    except Exception as e:  # it is of no use any more, whatever it says
        _log.warning("graph kernel '%s' could not be released: %s", kernel.name, e)


def attempt(delegate: Delegate, model: DelegateModel, made: Made) -> list[Failure]:
    """Lets the delegate replace what the model offers, and prepares what it made. What fails is taken out again."""
    model.forget_failures()
    stopped: Exception | None = None
    try:
        delegate.build(model)
    except Exception as e:  # a delegate's own code may raise anything
        stopped = e
    for kernel in model.replaced:
        try:
            made.prepare(kernel)
        except Exception as e:
            model.restore(kernel, e)
    failures = [Failure(run, error) for failed, error in model.failed_runs for run in model.stretches(set(failed))]
    if stopped is not None:
        failed = {k for failure in failures for k in failure.run}
        left = {k for run in model.remaining for k in run if k not in failed}
        failures += [Failure(run, stopped) for run in model.stretches(left)]
    return failures


def reuse(previous: ExecutionPlan, delegate: Delegate, model: DelegateModel, made: Made) -> None:
    """Takes over a delegate's graph kernels of the previous plan, if all runs have one that follows the new shapes.

    All or none, because a delegate that builds a part anew would give names that the others have already.
    """
    owners = {s.name: s.delegate for s in previous.record.subgraphs}
    known = {nodes: k for k, nodes in previous.graph_kernels.items() if owners.get(k.name) == delegate.name}
    runs = model.runs
    followers = [_follower(known.get(tuple(k.name for k in run)), model.boundary_of(run)) for run in runs]
    for run, follower in zip(runs, followers, strict=True):
        if follower is not None and None not in followers:
            made.borrow(follower)
            model.replace(*model.span(run), follower)


def _follower(old: Kernel | None, boundary: Boundary) -> Kernel | None:
    """A graph kernel like ``old`` for other tensors; None when there is none, or it cannot follow."""
    if old is None:
        return None
    try:
        new = old.fork(boundary.inputs, boundary.outputs)
        if new is not None:
            new.resize()
    except Exception as e:  # whatever a delegate raises here only costs a new build
        _log.debug("graph kernel '%s' is built anew: %s", old.name, e)
        return None
    return new

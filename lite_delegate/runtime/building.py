"""Building graph kernels: the delegate replaces its runs, and what fails goes back to the CPU."""

from __future__ import annotations

import logging
import warnings

from ..delegate import Boundary, Delegate, DelegateModel, Kernel
from ..errors import DelegateWarning
from .plan import ExecutionPlan

_log = logging.getLogger("lite_delegate")


def build(delegate: Delegate, model: DelegateModel, previous: ExecutionPlan | None, notes: list[str]) -> None:
    """Lets the delegate replace runs. What fails goes back to the CPU, with the reason; the rest stays."""
    if previous is not None and not previous.has_lost_device:
        _reuse(previous, model)
    try:
        delegate.build(model)
    except Exception as e:
        notes.append(f"Delegate '{delegate.name}': build stopped early: {e}")
        model.mark_failed([k for k in model if k not in model.replaced], e)
    for kernel in model.replaced:
        try:
            kernel.prepare()
        except Exception as e:
            model.restore(kernel, e)
    if model.failures:
        first, failure = next(iter(model.failures.items()))
        warnings.warn(
            f"Delegate '{delegate.name}': {len(model.failures)} kernels go back to the CPU, "
            f"the first is '{first.name}': {failure}",
            DelegateWarning,
            stacklevel=5,
        )


def _reuse(previous: ExecutionPlan, model: DelegateModel) -> None:
    """Takes over the graph kernels of the previous plan, if all runs have one and all can follow the new shapes.

    All or none, because a delegate that builds a part anew would give names that the others have already.
    """
    known = {names: kernel for kernel, names in previous.graph_kernels.items()}
    runs = model.runs
    followers = [_follower(known.get(tuple(k.name for k in run)), model.boundary_of(run)) for run in runs]
    for run, follower in zip(runs, followers, strict=True):
        if follower is not None and None not in followers:
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

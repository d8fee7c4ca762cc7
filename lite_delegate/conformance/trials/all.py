"""All trials of a model after a first run that was right."""

from __future__ import annotations

from collections.abc import Callable

from ...basics.failures import said, traceback_text
from ...basics.unforeseen import FAILURES
from ...delegate import Delegate
from ...mindspore.model import Model
from ..finding import Finding
from ..judging.case import Array
from ..judging.chain import Chain
from ..judging.oracle import Expected, Grant, Oracle
from ..reports.defects import Defect, Stage
from ..reports.results import CaseOutcome, FailureKind
from .buffers import check_buffers
from .forks import check_forks, check_threads
from .open_batch import check_open_batch
from .other_data import other_data
from .rebuilding import check_rebuild
from .repeats import check_repeats
from .resizing import check_resize
from .stateful import check_states
from .trial import InputWritten, Trial, changed

Check = Callable[[Trial], Finding | None]
REPEATS: tuple[tuple[Stage, Check], ...] = ((Stage.BUFFERS, check_buffers), (Stage.OTHER_DATA, check_repeats))
"""What every case goes through."""
CLOSER: tuple[tuple[Stage, Check], ...] = (
    (Stage.FORKS, check_forks),
    (Stage.THREADS, check_threads),
    (Stage.RESIZE, check_resize),
    (Stage.OPEN_BATCH, check_open_batch),
    (Stage.STATES, check_states),
    (Stage.REBUILD, check_rebuild),
)
"""What cases go through that are looked at closely. The last one closes the model."""


def tried(trial: Trial, *, closely: bool) -> Finding | None:
    """The first thing that is wrong; None when nothing is found.

    Args:
        trial: a model whose first run was right.
        closely: forks, threads, resize, an open batch, states and rebuild too.
    """
    constants = {name: x.copy() for name, x in trial.chain.constants.items()}
    for stage, check in (*REPEATS, *CLOSER) if closely else REPEATS:
        finding = _guarded(stage, check, trial)
        if finding is not None:
            return finding
        written = changed(constants, trial.chain.constants)
        if written:
            return Finding(stage, f"constant {written} was written to", Defect.CONSTANT_CHANGED)
    return None


def trial_of(
    chain: Chain,
    model: Model,
    delegate: Delegate | None,
    first: Expected,
    outputs: tuple[Array, ...],
    grant: Grant,
) -> Trial:
    """A trial with other data, where there is some."""
    try:
        other = other_data(Oracle(chain, grant), first)
    except Exception:  # the reference kernels cannot take the chain, which says nothing about the delegate
        other = None
    return Trial(chain, grant, delegate, model, first, outputs, other)


def _guarded(stage: Stage, check: Check, trial: Trial) -> Finding | None:
    try:
        return check(trial)
    except InputWritten as e:
        return e.finding(stage)
    except FAILURES as e:  # a delegate's own code may raise anything
        kind = FailureKind.RAISED
        return Finding(stage, said(e), _of_failure(stage), CaseOutcome.FAILED, kind, traceback=traceback_text(e))


def _of_failure(stage: Stage) -> Defect | None:
    return Defect.STALE_AFTER_RESIZE if stage is Stage.RESIZE else None

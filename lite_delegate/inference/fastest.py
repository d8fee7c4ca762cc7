"""The fastest of several plans: each delegate alone, mixtures of them, the CPU alone; measured, and one is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
from lite_delegate_kernels import Array

from ..delegate import Delegate
from ..errors import LiteDelegateError, RequestCancelled
from ..failures import said
from ..runtime.execution.random_inputs import not_random, random_array
from ..runtime.records import AlternativeRecord
from ..runtime.records.notices import Notices
from ..runtime.records.records import CPU
from ..runtime.settings import Settings
from .candidates import Candidate, Plan, Planner
from .choice import NOT_MEASURED, challenged, chosen
from .mixing import with_reasons
from .mixtures import mixtures
from .model_file.parts import ModelParts
from .turns import CLOCK, LIMITS, NS_PER_SECOND, TurnClock, TurnLimits

SIMULATED = "the device is simulated: how long it takes here says nothing about it"


def fastest_parts(
    settings: Settings,
    notices: Notices,
    plan: Plan,
    limits: TurnLimits = LIMITS,
    clock: TurnClock = CLOCK,
) -> ModelParts:
    """The parts of the fastest plan. The others are given back.

    Plans are made with each delegate alone, but for simulated ones; where nodes are left on the CPU, with a second
    delegate behind it; and without any. Then the model is run in pieces on each backend, and plans are made that mix
    them where that may pay. Which plan stays is said in ``choice.chosen``.

    Args:
        settings: with the delegates, in order of preference, and ``placement`` "fastest".
        notices: gets what the plan that is kept has to say.
        plan: makes one.
        limits: of measuring.
        clock: time.

    Raises:
        LiteDelegateError: no plan can be made; what was raised for the first one.
    """
    planner = Planner(settings, notices, plan)
    try:
        started = clock.now()
        found, tried = _plans(planner)
        seconds = (clock.now() - started) / NS_PER_SECOND
        arrays = _inputs(found, settings)
        choice = NOT_MEASURED
        if arrays is not None:
            calls = [each.prediction(arrays) for each in found]
            choice = chosen(calls, [not each.is_single for each in found], limits, clock)
            mixed, told = mixtures(found, choice, planner, arrays, seconds, clock)
            tried += told
            if mixed:
                found += mixed
                choice = challenged(choice, [*calls, *(each.prediction(arrays) for each in mixed)], clock)
    except BaseException:
        planner.give_back_others(None)
        raise
    best = found[choice.best]
    planner.give_back_others(best)
    rows = [choice.row(i, each.devices, each.estimated_us) for i, each in enumerate(found)]
    return _kept(best, [*rows, *tried], settings, notices)


def _plans(planner: Planner) -> tuple[list[Candidate], list[AlternativeRecord]]:
    """The plans with delegates as they claim, and what the record says of those that there are not.

    Raises:
        LiteDelegateError: there are none.
    """
    found: list[Candidate] = []
    real = [each for each in planner.settings.delegates if not each.is_simulated]
    simulated = [each for each in planner.settings.delegates if each.is_simulated]
    tried = [AlternativeRecord(each.name, None, chosen=False, reason=SIMULATED) for each in simulated]
    first_error: LiteDelegateError | None = None
    for delegates in _orders(real, found):
        name = ", ".join(each.name for each in delegates) or CPU
        try:
            candidate = planner.candidate(delegates)
        except RequestCancelled:
            raise
        except LiteDelegateError as e:
            first_error = first_error or e
            tried.append(AlternativeRecord(name, None, chosen=False, reason=said(e)))
            continue
        if candidate.idle:
            tried.append(AlternativeRecord(name, None, chosen=False, reason=_idle(candidate)))
            planner.give_back(candidate)
            continue
        found.append(candidate)
    if not found:
        assert first_error is not None
        raise first_error
    return found, tried


def _orders(delegates: Sequence[Delegate], found: Sequence[Candidate]) -> Iterator[tuple[Delegate, ...]]:
    """Delegates to plan with, in order: one; two, where the first leaves nodes; none. ``found`` grows meanwhile."""
    yield from ((each,) for each in delegates)
    leaves = {c.record.delegate for c in found if c.leaves_nodes}
    yield from (pair for pair in permutations(delegates, 2) if pair[0].name in leaves)
    yield ()


def _inputs(found: Sequence[Candidate], settings: Settings) -> list[Array] | None:
    """Random inputs; None where there are none, or there is nothing to choose."""
    inputs = found[0].parts.scheduled.plan.inputs
    if len(found) == 1 or any(not_random(tensor) for tensor in inputs):
        return None
    rng = np.random.default_rng(0)
    return [random_array(tensor, rng, settings.budget) for tensor in inputs]


def _kept(
    candidate: Candidate, alternatives: Sequence[AlternativeRecord], settings: Settings, notices: Notices
) -> ModelParts:
    """The parts of a plan; its record has the others, and what the user asked for."""
    scheduled, record = candidate.parts.scheduled, candidate.record
    if candidate.estimated_us is not None:
        record = with_reasons(record, scheduled.settings.kernel_affinity)
    options = replace(record.options, placement=settings.partition.placement)
    record = replace(record, alternatives=tuple(alternatives), options=options)
    notices.notes[:], notices.warnings[:] = candidate.notices.notes, candidate.notices.warnings
    return replace(candidate.parts, scheduled=replace(scheduled, plan=replace(scheduled.plan, record=record)))


def _idle(candidate: Candidate) -> str:
    rest = " of what is left" if len(candidate.delegates) > 1 else ""
    return f"{', '.join(candidate.idle)} takes nothing{rest}"

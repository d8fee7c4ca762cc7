"""The fastest of several measured plans: each delegate alone, one thread, mixtures, the CPU alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from lite_delegate_kernels import Array

from ...basics.failures import said
from ...errors import LiteDelegateError, RequestCancelled
from ...runtime.execution.random_inputs import not_random, random_array
from ...runtime.records import AlternativeRecord, CalibrationRecord
from ...runtime.records.notices import Notices
from ...runtime.records.records import CPU
from ...runtime.settings import Settings
from ..model_file.parts import ModelParts
from .baseline_plans import baseline_plans
from .calibration import Calibration, spent
from .candidates import Candidate, Plan, Planner
from .choice import NOT_MEASURED, PlanChoice, challenged, chosen
from .delegate_pairs import pair_plans
from .measurement import CLOCK, LIMITS, Call, TurnClock, TurnLimits
from .mixed_plans import with_reasons
from .mixture_search import mixture_plans

SIMULATED = "the device is simulated: how long it takes here says nothing about it"


def fastest_parts(
    settings: Settings,
    notices: Notices,
    plan: Plan,
    limits: TurnLimits = LIMITS,
    clock: TurnClock = CLOCK,
) -> ModelParts:
    """The parts of the fastest plan. All other plans are given back.

    Each delegate that is not simulated gets a measured plan of its own. As long as ``Calibration`` allows, plans that
    may be faster follow: the host alone, and quick plans with one thread; plans with a second delegate for the nodes
    that the first leaves; and mixtures by the times of the model's pieces on each device. ``choice`` has the rules.

    Args:
        settings: with the delegates, in order of preference, and ``placement`` "fastest".
        notices: gets the notes and warnings of the kept plan.
        plan: makes a plan.
        limits: of the measurement.
        clock: of the measurement.

    Raises:
        LiteDelegateError: no plan can be made; the error of the first plan is raised.
    """
    planner, began = Planner(settings, notices, plan, clock), clock.now()
    try:
        found, told = _plans(planner)
        arrays = _inputs(found[0], settings)
        choice = NOT_MEASURED
        if arrays is not None:
            calibration = Calibration(planner, arrays, clock.now())
            choice = _choice(found, told, calibration, limits)
    except BaseException:
        planner.give_back_others(None)
        raise
    best = found[choice.best]
    planner.give_back_others(best)
    rows = [choice.row(i, each.devices, each.estimated_us) for i, each in enumerate(found)]
    calibrated = spent(planner, best, began) if choice.taken else None
    return _kept(best, [*rows, *told], calibrated, settings, notices)


def _choice(
    found: list[Candidate], told: list[AlternativeRecord], calibration: Calibration, limits: TurnLimits
) -> PlanChoice:
    """The choice among plans.

    Args:
        found: the plans with one delegate; gets the plans that may be faster.
        told: gets the rows of plans that were not made.
        calibration: makes more plans.
        limits: of the measurement.
    """
    arrays, clock = calibration.arrays, calibration.planner.clock
    calls = [each.prediction(arrays) for each in found]

    def added(more: Sequence[Candidate], reasons: Sequence[AlternativeRecord]) -> list[Call]:
        found.extend(more)
        told.extend(reasons)
        calls.extend(each.prediction(arrays) for each in more)
        return calls[len(calls) - len(more) :]

    choice = chosen(calls, limits, clock, lambda taken: added(*baseline_plans(found, taken, calibration)))
    for looked_for in (pair_plans, mixture_plans):
        if added(*looked_for(found, choice, calibration)):
            choice = challenged(choice, calls, clock)
    return choice


def _plans(planner: Planner) -> tuple[list[Candidate], list[AlternativeRecord]]:
    """A plan with each delegate alone, or else of the host; and the rows of plans that were not made.

    Raises:
        LiteDelegateError: no plan can be made.
    """
    found: list[Candidate] = []
    real = [each for each in planner.settings.delegates if not each.is_simulated]
    simulated = [each for each in planner.settings.delegates if each.is_simulated]
    told = [AlternativeRecord(each.name, None, chosen=False, reason=SIMULATED) for each in simulated]
    first_error: LiteDelegateError | None = None
    for delegates in (*((each,) for each in real), ()):
        if found and not delegates:
            break
        name = ", ".join(each.name for each in delegates) or CPU
        try:
            candidate = planner.candidate(delegates)
        except RequestCancelled:
            raise
        except LiteDelegateError as e:
            first_error = first_error or e
            told.append(AlternativeRecord(name, None, chosen=False, reason=said(e)))
            continue
        if candidate.idle:
            told.append(AlternativeRecord(name, None, chosen=False, reason=f"{name} takes nothing"))
            planner.give_back(candidate)
            continue
        found.append(candidate)
    if not found:
        assert first_error is not None
        raise first_error
    return found, told


def _inputs(candidate: Candidate, settings: Settings) -> list[Array] | None:
    """Random inputs; None where random inputs are impossible, or no delegate takes part."""
    inputs = candidate.parts.scheduled.plan.inputs
    if not candidate.delegates or any(not_random(tensor) for tensor in inputs):
        return None
    rng = np.random.default_rng(0)
    return [random_array(tensor, rng, settings.budget) for tensor in inputs]


def _kept(
    candidate: Candidate,
    alternatives: Sequence[AlternativeRecord],
    calibration: CalibrationRecord | None,
    settings: Settings,
    notices: Notices,
) -> ModelParts:
    """The parts of a plan; its record has the alternatives, and the user's placement option."""
    scheduled, record = candidate.parts.scheduled, candidate.record
    if candidate.estimated_us is not None:
        record = with_reasons(record, scheduled.settings.kernel_affinity)
    options = replace(record.options, placement=settings.partition.placement)
    record = replace(record, alternatives=tuple(alternatives), calibration=calibration, options=options)
    notices.notes[:], notices.warnings[:] = candidate.notices.notes, candidate.notices.warnings
    return replace(candidate.parts, scheduled=replace(scheduled, plan=replace(scheduled.plan, record=record)))

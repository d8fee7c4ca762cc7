"""Baseline plans beside the plans with one delegate: the host alone, and quick plans with one thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial

from ...basics.failures import said
from ...basics.processors import usable_processors
from ...errors import LiteDelegateError, RequestCancelled
from ...runtime.records import AlternativeRecord, PartitionRecord
from ...runtime.records.records import CPU
from ...runtime.settings import Settings
from .calibration import Calibration
from .candidates import Candidate
from .measurement import TurnTime

SLOWER = 2.0
"""The factor of the quickest plan's time from which the host, by its estimate on all threads, is not measured."""
HOST_US = 1_000.0
"""The microseconds below which estimates of the host are not reliable."""
SHORT_US = 500.0
"""The microseconds above which predictions are not tried with one thread.

Of 36 models (keyword spotting, voice and face detection, text recognition, classifiers; float32 and 8 bits) with two
runtimes on two processors, the quickest plan had one thread for 6 models, which take 43 to 320 us with the usual
number, and 6 to 25 % less with one. The next longer model takes 423 us; from there on one thread took at least 1.29
times as long.
"""
FAR = 2.5
"""The factor of the quickest plan's time from which one thread is not tried: the plan gets no second turn."""


def baseline_plans(
    found: Sequence[Candidate], taken: Sequence[TurnTime], calibration: Calibration
) -> tuple[list[Candidate], list[AlternativeRecord]]:
    """The plan of the host alone, unless its estimate is far slower, and quick plans with one thread for each run.

    No plan has one thread where the user sets threads, where the process has one processor, or where the delegates
    ignore the number (``Delegate.follows_threads``).

    Args:
        found: the plans with one delegate.
        taken: the times of predictions with each plan.
        calibration: makes more plans.

    Returns:
        The host alone, then the plans with one thread, the quickest first; and the rows of plans that were not made.

    Raises:
        RequestCancelled: the compilation was cancelled.
    """
    planner = calibration.planner
    plans: list[Candidate] = []
    told: list[AlternativeRecord] = []
    if all(each.delegates for each in found):
        quickest = min(each.us for each in taken)
        why_not = _slow(found[0].record, quickest, planner.settings) or calibration.why_not()
        add_plan(partial(planner.candidate, ()), CPU, why_not, plans, told)
    for each in _short(found, taken) if _is_open(planner.settings) else ():
        make = partial(planner.with_threads, each, 1)
        add_plan(make, f"{each.devices} on 1 thread", calibration.why_not(), plans, told)
    return plans, told


def add_plan(
    make: Callable[[], Candidate], name: str, why_not: str, plans: list[Candidate], told: list[AlternativeRecord]
) -> None:
    """Adds a plan to a list, or the reason for its absence to the record.

    Args:
        make: makes the plan.
        name: of its devices.
        why_not: the reason for not making the plan; "" to make the plan.
        plans: gets the plan.
        told: gets the row of a plan that was not made.

    Raises:
        RequestCancelled: the compilation was cancelled.
    """
    if not why_not:
        try:
            plans.append(make())
        except RequestCancelled:
            raise
        except LiteDelegateError as e:
            why_not = said(e)
    if why_not:
        told.append(AlternativeRecord(name, None, chosen=False, reason=why_not))


def _is_open(settings: Settings) -> bool:
    """Whether the user leaves the number of threads open, and the usual number is not 1."""
    return settings.leaves_threads_open and usable_processors() > 1


def _short(found: Sequence[Candidate], taken: Sequence[TurnTime]) -> list[Candidate]:
    """The plans that may be quicker with one thread, the quickest first."""
    longest = min(SHORT_US, *(FAR * each.us for each in taken))
    pairs = [(each.us, plan) for plan, each in zip(found, taken, strict=True) if each.us <= longest]
    followed = [pair for pair in pairs if any(delegate.follows_threads() for delegate in pair[1].delegates)]
    return [plan for _, plan in sorted(followed, key=lambda pair: pair[0])]


def _slow(record: PartitionRecord, best_us: float, settings: Settings) -> str:
    """The reason why the host alone is too slow by its estimate; "" if the host may be quick."""
    threads = settings.threads or os.cpu_count() or 1
    us = sum(node.host_us or 0.0 for node in record.nodes) / threads
    if us < max(SLOWER * best_us, HOST_US):
        return ""
    return f"estimated from shapes to take {us:,.1f} us or more, and the quickest plan takes {best_us:,.1f}"

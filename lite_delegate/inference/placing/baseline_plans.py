"""Companions of the plans with one delegate, measured beside them: the host alone, and short ones with one thread."""

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
"""A host that is estimated to take as many times longer, on all threads alike, is not measured."""
HOST_US = 1_000.0
"""Below as many microseconds, estimates of the host say nothing."""
SHORT_US = 500.0
"""Predictions that take more are not tried with one thread.

Of 36 models (keyword spotting, voice and face detection, text recognition, classifiers; float32 and 8 bits) with two
runtimes on two processors, the quickest plan had one thread for 6, which take 43 to 320 us with the usual number, and
6 to 25 % less with one. The next one takes 423 us; from there on one thread took at least 1.29 times as long.
"""
FAR = 2.5
"""What takes as many times longer than the quickest plan is not tried either: it gets no second turn, see ``turns``."""


def companions(
    found: Sequence[Candidate], taken: Sequence[TurnTime], calibration: Calibration
) -> tuple[list[Candidate], list[AlternativeRecord]]:
    """The host alone, unless it is estimated to be far slower, and short plans with one thread for each run.

    There is none with one thread where the user says anything of threads, where the process has one processor, or of
    plans whose delegates do not follow (``Delegate.follows_threads``).

    Args:
        found: the plans with one delegate.
        taken: how long predictions with each take.
        calibration: makes more.

    Returns:
        The host alone, then the others, the quickest first; and why there are no others.

    Raises:
        RequestCancelled: nobody wants them any more.
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
    """Adds a plan to others, or what is said of it.

    Args:
        make: makes it.
        name: of its devices.
        why_not: why it is not to be made; "" where it is.
        plans: gets it.
        told: gets why there is none.

    Raises:
        RequestCancelled: nobody wants it any more.
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
    """Whether one thread is another number than the usual one, and the user's to leave open."""
    return settings.leaves_threads_open and usable_processors() > 1


def _short(found: Sequence[Candidate], taken: Sequence[TurnTime]) -> list[Candidate]:
    """Plans that one thread may make quicker, the quickest first."""
    longest = min(SHORT_US, *(FAR * each.us for each in taken))
    pairs = [(each.us, plan) for plan, each in zip(found, taken, strict=True) if each.us <= longest]
    followed = [pair for pair in pairs if any(delegate.follows_threads() for delegate in pair[1].delegates)]
    return [plan for _, plan in sorted(followed, key=lambda pair: pair[0])]


def _slow(record: PartitionRecord, best_us: float, settings: Settings) -> str:
    """Why the host alone is far from the quickest, "" where it may be quick."""
    threads = settings.threads or os.cpu_count() or 1
    us = sum(node.host_us or 0.0 for node in record.nodes) / threads
    if us < max(SLOWER * best_us, HOST_US):
        return ""
    return f"estimated from shapes to take {us:,.1f} us or more, and the quickest plan takes {best_us:,.1f}"

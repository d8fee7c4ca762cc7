"""Rivals of the plans with one delegate: with a second one for what the first leaves, and the host alone."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..delegate import Delegate
from ..errors import LiteDelegateError, RequestCancelled
from ..failures import said
from ..runtime.records import AlternativeRecord, PartitionRecord
from ..runtime.records.records import CPU
from .calibration import Calibration
from .candidates import Candidate
from .choice import Choice
from .pieces import RUNS, Watched
from .turns import Taken

SLOWER = 2.0
"""A host that is estimated to take as many times longer, on all threads alike, is not measured."""
SHORT_US = 1_000.0
"""Below as many microseconds, estimates of the host say nothing."""
BEHIND = 1.1
"""Where the first delegate's own subgraphs take as many times longer, a second one for the rest is of no use."""
LONG_US = 50_000.0
"""Predictions that take more are not made once more to time their steps."""
PROMISING = 0.9
"""Where they take no more of what that does, one plan with a second one is made even if the time is over."""


def rivals(
    found: Sequence[Candidate], choice: Choice, calibration: Calibration
) -> tuple[list[Candidate], list[AlternativeRecord]]:
    """Plans beside those with one delegate, those first that are likely to gain most; and why there are no others.

    Args:
        found: the plans with one delegate.
        choice: among them.
        calibration: makes more.

    Raises:
        RequestCancelled: nobody wants them any more.
    """
    plans: list[Candidate] = []
    told: list[AlternativeRecord] = []
    for first, second, us in _pairs(found, choice, calibration):
        has_time = not plans and us < PROMISING * choice.us
        why = _useless(first, second, us, choice.us) or ("" if has_time else calibration.why_not())
        _make((first.delegates[0], second.delegates[0]), why, calibration, plans, told)
    if all(each.delegates for each in found):
        _make((), _slow(found[0].record, choice.us, calibration) or calibration.why_not(), calibration, plans, told)
    return plans, told


def _make(
    delegates: tuple[Delegate, ...],
    why_not: str,
    calibration: Calibration,
    plans: list[Candidate],
    told: list[AlternativeRecord],
) -> None:
    """Adds a plan, or what is said of it."""
    name = ", ".join(each.name for each in delegates) or CPU
    if not why_not:
        try:
            plans.append(calibration.planner.candidate(delegates))
        except RequestCancelled:
            raise
        except LiteDelegateError as e:
            why_not = said(e)
    if why_not:
        told.append(AlternativeRecord(name, None, chosen=False, reason=why_not))


def _pairs(
    found: Sequence[Candidate], choice: Choice, calibration: Calibration
) -> list[tuple[Candidate, Candidate, float]]:
    """Pairs of plans of which the first leaves nodes, and microseconds of its subgraphs, the quickest first."""
    pairs = []
    for first, taken in zip(found, choice.taken, strict=True):
        others = [each for each in found if each is not first and each.delegates]
        if not first.delegates or not first.leaves_nodes or not others:
            continue
        us = _subgraphs_us(first, taken, calibration)
        pairs += [(first, second, us) for second in others]
    return sorted(pairs, key=lambda pair: pair[2])


def _subgraphs_us(plan: Candidate, taken: Taken, calibration: Calibration) -> float:
    """Microseconds of a plan's subgraphs, as far as it is known; 0 where its predictions fail or take long.

    They take no longer than the shortest of all predictions did.
    """
    if taken.us > LONG_US:
        return 0.0
    watched = Watched(plan, calibration.arrays, calibration.planner.clock)
    try:
        watched.run(RUNS)
    except RequestCancelled:
        raise
    except LiteDelegateError:
        return 0.0
    return min(watched.subgraphs_us, taken.us)


def _useless(first: Candidate, second: Candidate, us: float, best_us: float) -> str:
    """Why a second delegate for what the first one leaves cannot be of use, "" where it can."""
    left = {node.name for node in first.record.nodes if node.subgraph is None}
    takes = {node.name: node.subgraph is not None for node in second.record.nodes}
    name = first.delegates[0].name
    if left <= takes.keys() and not any(takes[each] for each in left):
        return f"{second.delegates[0].name} takes nothing of what is left"
    if us > BEHIND * best_us:
        return f"what {name} takes needs {us:,.1f} us on it, and the quickest plan {best_us:,.1f} in all"
    return ""


def _slow(record: PartitionRecord, best_us: float, calibration: Calibration) -> str:
    """Why the host alone is far from the quickest, "" where it may be quick."""
    threads = calibration.planner.settings.threads or os.cpu_count() or 1
    us = sum(node.host_us or 0.0 for node in record.nodes) / threads
    if us < max(SLOWER * best_us, SHORT_US):
        return ""
    return f"estimated from shapes to take {us:,.1f} us or more, and the quickest plan takes {best_us:,.1f}"

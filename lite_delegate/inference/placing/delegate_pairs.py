"""Plans with two delegates: the second delegate gets the nodes that the first leaves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...errors import LiteDelegateError, RequestCancelled
from ...runtime.records import AlternativeRecord
from .baseline_plans import add_plan
from .calibration import Calibration
from .candidates import Candidate
from .choice import PlanChoice
from .measurement import TurnTime
from .piece_times import RUNS, Watched

BEHIND = 1.1
"""The factor of the quickest plan's time from which the first delegate's subgraphs exclude a plan with a second."""
LONG_US = 50_000.0
"""The microseconds above which a prediction is not repeated to time its steps."""
PROMISING = 0.9
"""The share of the quickest plan's time up to which a first pair is tried even after the time limit."""


def pair_plans(
    found: Sequence[Candidate], choice: PlanChoice, calibration: Calibration
) -> tuple[list[Candidate], list[AlternativeRecord]]:
    """Plans with two delegates, the most promising first; and the rows of plans that were not made.

    Args:
        found: the plans with one delegate, and the baseline plans.
        choice: among the found plans.
        calibration: makes more plans.

    Raises:
        RequestCancelled: the compilation was cancelled.
    """
    plans: list[Candidate] = []
    told: list[AlternativeRecord] = []
    for first, second, us in _pairs(found, choice, calibration):
        has_time = not plans and us < PROMISING * choice.us
        why = _useless(first, second, us, choice.us) or ("" if has_time else calibration.why_not())
        pair = first.delegates[0], second.delegates[0]
        make = partial(calibration.planner.candidate, pair)
        add_plan(make, ", ".join(each.name for each in pair), why, plans, told)
    return plans, told


def _pairs(
    found: Sequence[Candidate], choice: PlanChoice, calibration: Calibration
) -> list[tuple[Candidate, Candidate, float]]:
    """Pairs of plans, the first of which leaves nodes, with the microseconds of its subgraphs; the quickest first."""
    pairs = []
    singles = [each for each in found if each.is_single and each.delegates]
    for first, taken in zip(found, choice.taken, strict=True):
        others = [each for each in singles if each is not first]
        if first not in singles or not first.leaves_nodes or not others:
            continue
        us = _subgraphs_us(first, taken, calibration)
        pairs += [(first, second, us) for second in others]
    return sorted(pairs, key=lambda pair: pair[2])


def _subgraphs_us(plan: Candidate, taken: TurnTime, calibration: Calibration) -> float:
    """The microseconds of a plan's subgraphs; 0 where unknown because predictions fail or take long.

    The result is at most the time of the shortest prediction.
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
    """The reason why a second delegate for the remaining nodes is of no use; "" where it may be of use."""
    left = {node.name for node in first.record.nodes if node.subgraph is None}
    takes = {node.name: node.subgraph is not None for node in second.record.nodes}
    name = first.delegates[0].name
    if left <= takes.keys() and not any(takes[each] for each in left):
        return f"{second.delegates[0].name} takes nothing of what is left"
    if us > BEHIND * best_us:
        return f"what {name} takes needs {us:,.1f} us on it, and the quickest plan {best_us:,.1f} in all"
    return ""

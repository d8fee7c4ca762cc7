"""The search for mixtures, plans with several devices: its conditions, and its rows in the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...basics.failures import said
from ...errors import LiteDelegateError, RequestCancelled
from ...runtime.records import AlternativeRecord
from ...runtime.settings import Settings
from .calibration import Calibration
from .candidates import Candidate
from .choice import PlanChoice
from .measurement import NOISE, NS_PER_SECOND
from .mixed_plans import MOST_PLANS, mixed_placements, mixed_plans, needs_cut, pieces_of, same_graph

MIXTURE = "a mixture of delegates"
SHORTEST_US = 200.0
"""The microseconds below which predictions gain nothing by a mixture: a change of the backend takes too long."""
CUT, MIX = 2.0, 1.0
"""The estimated time of making a plan in pieces, and a mixture, as factors of the time of a plan with one delegate."""
SEARCH_SECONDS = 0.1
"""The estimated time of the search for placements, and of predictions with whole plans."""
RUNS_OF_EACH = 10
"""The number of predictions with each plan with one delegate, in pieces and beside mixtures."""
SLOW, SLOW_US = 3.0, 20_000.0
"""The factor and the microseconds from which the host runs only the nodes that no delegate claims."""
US_PER_SECOND = 1_000_000
SEVERAL = "the model has several graphs, or a delegate does not state its claims"
NOTHING_BETTER = "nothing that is faster by more than the noise with several"


def mixture_plans(
    found: Sequence[Candidate], choice: PlanChoice, calibration: Calibration
) -> tuple[list[Candidate], list[AlternativeRecord]]:
    """Mixed plans, where a mixture may pay; otherwise the row of the record with the reason.

    Args:
        found: the first plans.
        choice: among the first plans.
        calibration: makes more plans.

    Raises:
        RequestCancelled: the compilation was cancelled.
    """
    planner, quickest = calibration.planner, choice.us
    affordable = max(SLOW * quickest, SLOW_US)
    singles = {
        each: taken.us
        for each, taken in zip(found, choice.taken, strict=True)
        if each.is_single and taken.us < (float("inf") if each.delegates else affordable)
    }
    delegates = [each for each in singles if each.delegates]
    has_rest = any(each.leaves_nodes for each in delegates)
    is_enough = len(delegates) > 1 or (len(singles) > 1 and has_rest)
    if not is_enough or not SHORTEST_US <= quickest < float("inf"):
        return [], []
    why = _obstacle(planner.settings) or calibration.why_not(_seconds(singles))
    graph = same_graph(list(singles))
    if why or graph is None:
        return [], [AlternativeRecord(MIXTURE, None, chosen=False, reason=why or SEVERAL)]
    stay = found[choice.best]
    planner.give_back(*[each for each in found if each is not stay and each not in singles])  # not in a mixture
    try:
        pieces = pieces_of(graph, singles, planner, calibration.arrays)
    except RequestCancelled:
        raise
    except LiteDelegateError as e:
        return [], [AlternativeRecord(MIXTURE, None, chosen=False, reason=said(e))]
    planner.give_back(*[each for each in singles if each is not stay])
    *placements, single = mixed_placements(graph, found[0].record, list(singles), pieces)
    better = [each for each in placements if each.us * NOISE < min(single.us, quickest)]
    plans = mixed_plans(graph, better[: MOST_PLANS if calibration.left_seconds else 1], list(singles), planner)
    if plans:
        return plans, []
    best = f"by the times of pieces {single.us:,.1f} us with one device, and {NOTHING_BETTER}"
    return [], [AlternativeRecord(MIXTURE, None, chosen=False, reason=best)]


def _seconds(singles: Mapping[Candidate, float]) -> float:
    """The estimated seconds of the search for mixtures."""
    making = sum(each.made_ns * (CUT if needs_cut(each) else 0.0) for each in singles)
    mixture = MIX * max(each.made_ns for each in singles)
    return (making + mixture) / NS_PER_SECOND + SEARCH_SECONDS + RUNS_OF_EACH * sum(singles.values()) / US_PER_SECOND


def _obstacle(settings: Settings) -> str:
    """The reason why the settings exclude mixtures; "" if mixtures are allowed."""
    if settings.partition.affinity or settings.partition.groups:
        return "the user's own plan says what runs where"
    return ""

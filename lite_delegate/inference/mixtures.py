"""Mixtures: when plans that mix devices are looked for, and what is said where there are none."""

from __future__ import annotations

from collections.abc import Sequence

from lite_delegate_kernels import Array

from ..errors import LiteDelegateError, RequestCancelled
from ..failures import said
from ..runtime.records import AlternativeRecord
from ..runtime.settings import Settings
from .candidates import Candidate, Planner
from .choice import NOISE, Choice
from .mixing import mixed_placements, mixed_plans, pieces_of, same_graph
from .turns import TurnClock

MIXTURE = "a mixture of delegates"
SHORTEST_US = 200.0
"""Predictions that take less gain nothing by a mixture: going from one backend to the other takes too much of it."""
LONGEST_US = 20_000.0
"""Predictions that take more are not made as often as it takes to tell what pieces take."""
LONGEST_MAKING, LONGEST_WITH_REST = 1.0, 3.0
"""Where making the plans took more seconds, there are none of pieces: these take as long again, and mixtures too.

The second is for models of which a delegate leaves nodes: there a mixture is most likely to pay.
"""
SLOW, SLOW_US = 3.0, 20_000.0
"""A host that takes so many times longer than the quickest, and so many microseconds, runs only what is left to it."""
SEVERAL = "the model has several graphs, or a delegate does not state its claims"
NOTHING_BETTER = "nothing that is faster by more than the noise with several"


def mixtures(
    found: Sequence[Candidate],
    choice: Choice,
    planner: Planner,
    arrays: Sequence[Array],
    seconds: float,
    clock: TurnClock,
) -> tuple[list[Candidate], list[AlternativeRecord]]:
    """Plans that mix devices, where that may pay; and what the record says where there are none.

    Args:
        found: the first plans.
        choice: among them.
        planner: makes more.
        arrays: inputs.
        seconds: that making the first plans took.
        clock: time.

    Raises:
        RequestCancelled: nobody wants them any more.
    """
    quickest = choice.taken[choice.single].us
    pairs = [(each, us.us) for each, us in zip(found, choice.taken, strict=True) if each.is_single]
    affordable = max(SLOW * quickest, SLOW_US)
    singles = [each for each, us in pairs if us < (float("inf") if each.delegates else affordable)]
    delegates = [each.delegates[0] for each in singles if each.delegates]
    has_rest = any(each.leaves_nodes for each in singles if each.delegates)
    is_enough = len(delegates) > 1 or (len(singles) > 1 and has_rest)
    if not is_enough or not SHORTEST_US <= quickest < float("inf"):
        return [], []
    why = _obstacle(planner.settings, quickest, seconds, LONGEST_WITH_REST if has_rest else LONGEST_MAKING)
    graph = same_graph(singles)
    if why or graph is None:
        return [], [AlternativeRecord(MIXTURE, None, chosen=False, reason=why or SEVERAL)]
    stay = (found[choice.best], found[choice.single])
    planner.give_back(*[each for each in found if each not in (*stay, *singles)])  # what takes part no more
    try:
        pieces = pieces_of(graph, singles, planner, arrays, clock)
    except RequestCancelled:
        raise
    except LiteDelegateError as e:
        return [], [AlternativeRecord(MIXTURE, None, chosen=False, reason=said(e))]
    planner.give_back(*[each for each in singles if each not in stay])
    *placements, single = mixed_placements(graph, found[0].record, singles, pieces)
    plans = mixed_plans(graph, [each for each in placements if each.us * NOISE < single.us], singles, planner)
    if plans:
        return plans, []
    best = f"by the times of pieces {single.us:,.1f} us with one device, and {NOTHING_BETTER}"
    return [], [AlternativeRecord(MIXTURE, None, chosen=False, reason=best)]


def _obstacle(settings: Settings, us: float, seconds: float, longest: float) -> str:
    """Why there are no plans that mix delegates, "" where there may be."""
    if settings.partition.affinity or settings.partition.groups:
        return "the user's own plan says what runs where"
    if us > LONGEST_US:
        return f"not looked for, since a prediction takes {us / 1e3:,.0f} ms, and pieces have to be run several times"
    if seconds > longest:
        return f"not looked for, since making the other plans took {seconds:.1f} s"
    return ""

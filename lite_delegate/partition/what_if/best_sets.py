"""The best sets of cases to support: all sets are tried where they are few, else cases are added one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

from .cases import Case, union
from .trials import Difference, Trials

SET_WORK = 50_000
"""Sets are tried as many times as the nodes of the model make this; but ``LEAST_TRIES`` at least."""
LEAST_TRIES = 24


def best_sets(trials: Trials, found: Sequence[Difference], most: int) -> list[Difference]:
    """For each size from 2 to ``most`` the best set of cases, if it gains more than all smaller sets.

    1. Where the sets are few enough, all sets are tried: the result is the best of all.
    2. Else the best case is added to the best set with one case less, each tried as a whole. This is no proof: two
       cases that gain nothing alone may be missed. A step may gain nothing itself, for the sake of the next.

    Args:
        trials: partition the model.
        found: the gain of each case by itself. A set has cases of one delegate; of cases with the same nodes the first
            counts.
        most: the most cases in a set.
    """
    result: list[Difference] = []
    for delegate in dict.fromkeys(each.case.delegate for each in found):
        mine = _distinct([each for each in found if each.case.delegate == delegate])
        tries = max(LEAST_TRIES, SET_WORK // max(1, trials.nodes))
        best = min((each.rank for each in mine), default=())
        for difference in _by_size(trials, mine, most, tries):
            if difference.rank < best:
                best = difference.rank
                result.append(difference)
    return result


def _by_size(trials: Trials, found: Sequence[Difference], most: int, tries: int) -> Iterator[Difference]:
    sizes = range(2, min(most, len(found)) + 1)
    cases = [each.case for each in found]
    if sum(comb(len(cases), size) for size in sizes) <= tries:
        for size in sizes:
            yield from _best(trials, list(combinations(cases, size)))
        return
    chosen = tuple(cases[:1])
    for size in sizes:
        more = [(*chosen, case) for case in cases if case not in chosen]
        for best in _best(trials, more[: max(1, tries // len(sizes))]):
            chosen = best.case.parts
            yield best
        if len(chosen) < size:
            return


def _best(trials: Trials, sets: Sequence[Sequence[Case]]) -> list[Difference]:
    """The best of the sets whose cases each have nodes of their own; empty without such a set."""
    tried = [trials.difference(union(parts)) for parts in sets if _is_apart(parts)]
    return sorted(tried, key=lambda difference: difference.rank)[:1]


def _is_apart(parts: Sequence[Case]) -> bool:
    """Whether each thing has a node that no other has."""
    counts = Counter(member for part in parts for member in part.members)
    return all(any(counts[member] == 1 for member in part.members) for part in parts)


def _distinct(found: Sequence[Difference]) -> list[Difference]:
    """The cases without later cases of the same nodes."""
    return list({each.case.members: each for each in reversed(found)}.values())[::-1]

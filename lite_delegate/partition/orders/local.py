"""Better levels for graphs of any size, by moving one node at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ..crossing import Crossings
from ..graph import PartitionGraph
from .goal import Goal

ROUNDS = 2
"""Passes there and back. A third one was seen to gain less than a thousandth."""
AWAY = -1
"""The level of a node that is taken out."""
FEW = 8
"""Tensors with more ends keep a tally, so that a move costs the same for any number of ends."""
Integers: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def improve(graph: PartitionGraph, goal: Goal, crossings: Crossings, start: Sequence[int]) -> list[int]:
    """Levels that score at least as well as ``start``, in O(V + E) for each of a fixed number of passes.

    A pass walks against the edges and moves nodes to later runs, or along the edges and moves them to earlier runs. A
    node moves where fewer bytes cross then, or as many, so that a chain of nodes can follow one by one. Rejected nodes
    make room: they are as late as possible in a pass to later runs, as early as possible in a pass to earlier runs.
    """
    moves = LevelMoves(graph, goal, crossings, start)
    best, gained = list(start), True
    for _ in range(ROUNDS):
        gained = moves.pass_later() + moves.pass_earlier() > 0
        if not gained:
            break
        best = list(moves.levels)
    return best


class LevelMoves:
    """Levels that change.

    Each crossing has *ends*: its readers, and its producer if there is one. A crossing with one end costs the same
    wherever that is. Lists of numbers have the ends of all crossings, and the crossings of all nodes.
    """

    def __init__(self, graph: PartitionGraph, goal: Goal, crossings: Crossings, start: Sequence[int]) -> None:
        self.graph, self.goal = graph, goal
        self.levels = list(start)
        self.sizes = goal.sizes(start)
        made = np.flatnonzero(crossings.producers >= 0)
        ends = np.concatenate((crossings.readers, crossings.producers[made]))
        of = np.concatenate((crossings.read, made))
        counts = np.bincount(of, minlength=len(crossings))
        ends, of = ends[counts[of] > 1], of[counts[of] > 1]
        self._ends, self._first = _grouped(ends, of, len(crossings))
        self._touching, self._begin = _grouped(of, ends, len(graph))
        self._nbytes = crossings.nbytes.tolist()
        stays = (crossings.producers >= 0) & ~crossings.leaves
        self._alone = (crossings.nbytes * (1 + stays)).tolist()
        """The bytes that an end saves by joining others that are at one level: where they have the producer and all
        readers, the tensor does not leave the run any more either."""
        many = np.flatnonzero(counts > FEW).tolist()
        level_of = self.levels.__getitem__
        self._tallies = {c: Counter(map(level_of, self._ends[self._first[c] : self._first[c + 1]])) for c in many}

    def pass_later(self) -> int:
        """Moves nodes to later runs; how many moves gained something."""
        claimed, levels, predecessors = self.graph.claimed, self.levels, self.graph.predecessors
        upper = [self.goal.runs] * len(levels)
        gains = 0
        for node in range(len(levels) - 1, -1, -1):
            top, is_claimed = upper[node], claimed[node]
            if not is_claimed:
                levels[node] = top
            elif top > levels[node]:
                gains += self._move(node, levels[node], top, towards=top)
            level = levels[node]
            for p in predecessors[node]:
                bound = level - (is_claimed and not claimed[p])
                if bound < upper[p]:
                    upper[p] = bound
        return gains

    def pass_earlier(self) -> int:
        """Moves nodes to earlier runs; how many moves gained something."""
        claimed, levels = self.graph.claimed, self.levels
        gains, next_run = 0, list(levels)
        for node, before in enumerate(self.graph.predecessors):
            is_claimed = claimed[node]
            low, bounds = (1, next_run) if is_claimed else (0, levels)
            for p in before:
                if bounds[p] > low:
                    low = bounds[p]
            if not is_claimed:
                levels[node], next_run[node] = low, low + 1
                continue
            if low < levels[node]:
                gains += self._move(node, low, levels[node], towards=low)
            next_run[node] = levels[node]
        return gains

    def _move(self, node: int, low: int, high: int, towards: int) -> bool:
        """Moves a node to the best level of a window, to the end ``towards`` among equals; whether that gained.

        The node is at the other end of the window.
        """
        here = best = self.levels[node]
        saved = self.take(node, towards)
        before, counts = saved[here], self.goal.least > 0
        gain = short = 0
        for level, less in saved.items():
            nbytes = before - less
            if level == here or not low <= level <= high or (nbytes > gain and not counts):
                continue
            lacking = self._lacking_more(node, here, level) if counts else 0
            if lacking is None or (lacking, nbytes) > (short, gain):
                continue
            if (lacking, nbytes) < (short, gain) or abs(level - here) > abs(best - here):
                best, gain, short = level, nbytes, lacking
        if best != here:
            weight = self.goal.weights[node]
            self.sizes[here] -= weight
            self.sizes[best] += weight
        self.put(node, best)
        return (short, gain) < (0, 0)

    def take(self, node: int, towards: int) -> dict[int, int]:
        """Takes a node out; ``put`` follows. Returns the bytes that do not cross where it joins other ends, by level.

        The levels are the ones that are worth trying: the level that it had, the level ``towards``, and the levels of
        the other ends of a crossing, where these are few.
        """
        levels, first, ends = self.levels, self._first, self._ends
        here, levels[node] = levels[node], AWAY
        level_of, saved, tallied = levels.__getitem__, {here: 0, towards: 0}, []
        for crossing in self._touching[self._begin[node] : self._begin[node + 1]]:
            if crossing in self._tallies:
                tallied.append(crossing)
                continue
            others = set(map(level_of, ends[first[crossing] : first[crossing + 1]]))
            others.discard(AWAY)
            nbytes = self._alone[crossing] if len(others) == 1 else self._nbytes[crossing]
            for level in others:
                saved[level] = saved.get(level, 0) + nbytes
        if tallied:
            self._add_tallied(saved, tallied, here)
        return saved

    def put(self, node: int, level: int) -> None:
        """Puts a node that was taken out to a level."""
        self.levels[node] = level
        if self._tallies:
            for crossing in self._touching[self._begin[node] : self._begin[node + 1]]:
                if crossing in self._tallies:
                    self._tallies[crossing][level] += 1

    def _add_tallied(self, saved: dict[int, int], crossings: Sequence[int], here: int) -> None:
        """Adds the bytes of crossings with tallies, from which the end at ``here`` is taken out."""
        for crossing in crossings:
            tally = self._tallies[crossing]
            tally[here] -= 1
            if not tally[here]:
                del tally[here]
            if len(tally) <= FEW:
                saved.update({level: 0 for level in tally if level not in saved})
        for crossing in crossings:
            tally = self._tallies[crossing]
            nbytes = self._alone[crossing] if len(tally) == 1 else self._nbytes[crossing]
            for level in saved:
                saved[level] += nbytes * (level in tally)

    def _lacking_more(self, node: int, here: int, to: int) -> int | None:
        """The additional kernels that too small runs would lack; None where a move only puts more kernels into them."""
        goal, weight, old, new = self.goal, self.goal.weights[node], self.sizes[here], self.sizes[to]
        short = goal.shortage(old - weight, new + weight) - goal.shortage(old, new)
        lost = goal.lost((old - weight, new + weight)) - goal.lost((old, new))
        return None if short >= 0 and lost > 0 else short


def _grouped(values: Integers, groups: Integers, count: int) -> tuple[list[int], list[int]]:
    """The values group by group, and where each of ``count`` groups begins; the end of the last group comes last."""
    order = np.argsort(groups, kind="stable")
    return values[order].tolist(), np.searchsorted(groups[order], np.arange(count + 1)).tolist()

"""Minimum cuts: the cheapest way to divide some nodes in two."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping
from itertools import pairwise

UNBOUNDED = 1 << 62
"""More than any cut can cost."""


class Cut:
    """Nodes that each stay or switch, and the cost when one node stays and another switches.

    Cuts are found by blocking flows along shortest paths (Dinic, 1970).
    """

    STAY = "stay"
    SWITCH = "switch"

    def __init__(self) -> None:
        self._room: dict[Hashable, dict[Hashable, int]] = {self.STAY: {}, self.SWITCH: {}}

    def add(self, stays: Hashable, switches: Hashable, cost: int) -> None:
        """Adds a cost that arises when node ``stays`` stays and node ``switches`` switches.

        ``STAY`` is a node that always stays, ``SWITCH`` one that always switches.
        """
        forward, backward = self._room.setdefault(stays, {}), self._room.setdefault(switches, {})
        forward[switches] = forward.get(switches, 0) + cost
        backward.setdefault(stays, 0)

    def switched(self) -> set[Hashable]:
        """The nodes that switch in a cheapest division; of several, the one in which the fewest do."""
        while levels := self._levels():
            untried = {node: list(self._room[node]) for node in levels}
            while path := self._path(levels, untried):
                flow = min(self._room[a][b] for a, b in path)
                for a, b in path:
                    self._room[a][b] -= flow
                    self._room[b][a] += flow
        return self._reaching_switch()

    def _levels(self) -> dict[Hashable, int]:
        """The number of edges with room between each node and ``STAY``; empty where ``SWITCH`` cannot be reached."""
        levels: dict[Hashable, int] = {self.STAY: 0}
        queue: deque[Hashable] = deque(levels)
        while queue:
            node = queue.popleft()
            for other, room in self._room[node].items():
                if room > 0 and other not in levels:
                    levels[other] = levels[node] + 1
                    queue.append(other)
        return levels if self.SWITCH in levels else {}

    def _path(
        self, levels: Mapping[Hashable, int], untried: Mapping[Hashable, list[Hashable]]
    ) -> list[tuple[Hashable, Hashable]]:
        """A path with room from ``STAY`` to ``SWITCH``, a level further with each edge; empty where there is none.

        Edges that lead nowhere are taken out of ``untried``, so that all paths of one leveling try each of them once.
        """
        path: list[Hashable] = [self.STAY]
        while path and path[-1] != self.SWITCH:
            node = path[-1]
            ways = untried[node]
            while ways and not (self._room[node][ways[-1]] and levels.get(ways[-1]) == levels[node] + 1):
                ways.pop()
            if ways:
                path.append(ways[-1])
                continue
            path.pop()
            if path:
                untried[path[-1]].pop()
        return list(pairwise(path))

    def _reaching_switch(self) -> set[Hashable]:
        found: set[Hashable] = {self.SWITCH}
        queue: deque[Hashable] = deque(found)
        while queue:
            node = queue.popleft()
            for other in self._room[node]:
                if other not in found and self._room[other][node] > 0:
                    found.add(other)
                    queue.append(other)
        return found - {self.SWITCH}

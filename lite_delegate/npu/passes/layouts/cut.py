"""Minimum cuts: the cheapest way to divide some nodes in two."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

UNBOUNDED = 1 << 62
"""More than all that any cut can cost."""


class Cut:
    """Nodes that each stay or switch, and what it costs when one stays and another switches.

    Cuts are found by shortest augmenting paths (Edmonds and Karp, 1972).
    """

    STAY = "stay"
    SWITCH = "switch"

    def __init__(self) -> None:
        self._room: dict[Hashable, dict[Hashable, int]] = {self.STAY: {}, self.SWITCH: {}}

    def add(self, stays: Hashable, switches: Hashable, cost: int) -> None:
        """It costs ``cost`` more when node ``stays`` stays and node ``switches`` switches.

        ``STAY`` is a node that always stays, ``SWITCH`` one that always switches.
        """
        forward, backward = self._room.setdefault(stays, {}), self._room.setdefault(switches, {})
        forward[switches] = forward.get(switches, 0) + cost
        backward.setdefault(stays, 0)

    def switched(self) -> set[Hashable]:
        """The nodes that switch in a cheapest division; of several, the one in which the fewest do."""
        while path := self._path():
            flow = min(self._room[a][b] for a, b in path)
            for a, b in path:
                self._room[a][b] -= flow
                self._room[b][a] += flow
        return self._reaching_switch()

    def _path(self) -> list[tuple[Hashable, Hashable]]:
        """A shortest path with room from ``STAY`` to ``SWITCH``, as its edges; empty where there is none."""
        came: dict[Hashable, Hashable] = {self.STAY: None}
        queue: deque[Hashable] = deque([self.STAY])
        while queue and self.SWITCH not in came:
            node = queue.popleft()
            for other, room in self._room[node].items():
                if room > 0 and other not in came:
                    came[other] = node
                    queue.append(other)
        path: list[tuple[Hashable, Hashable]] = []
        node = self.SWITCH
        while node in came and node != self.STAY:
            path.append((came[node], node))
            node = came[node]
        return path

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

"""The number of runs that keep the devices of a model busy, limited by device memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ...delegate import Delegate, Kernel


def runs_at_once(made: Mapping[Delegate, Sequence[Kernel]]) -> tuple[int, str]:
    """The optimal number of runs at once, at least 1; and a note, "" where device memory does not limit the number.

    Args:
        made: the graph kernels of the model, by delegate.
    """
    note, best = "", max((_best(*each) for each in made.items()), default=os.cpu_count() or 1)
    for delegate, kernels in made.items():
        room = delegate.requests_that_fit(kernels)
        if room is not None and room < best:
            note = f"Requests: {max(room, 1)} instead of {best} at once; '{delegate.name}' has memory for {room}"
            best = max(room, 1)
    return best, note


def _best(delegate: Delegate, kernels: Sequence[Kernel]) -> int:
    told = [number for kernel in kernels if (number := kernel.optimal_requests) is not None]
    return max(told) if told else delegate.optimal_requests()


def made_by(delegates: Sequence[Delegate], owners: Mapping[Kernel, str]) -> dict[Delegate, list[Kernel]]:
    """The graph kernels that each delegate made.

    Args:
        delegates: the makers of graph kernels.
        owners: the name of the delegate that made each graph kernel.
    """
    return {each: [kernel for kernel, name in owners.items() if name == each.name] for each in delegates}

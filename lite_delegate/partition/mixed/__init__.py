"""Placement on several devices at once: the device of each node, with the least time in total."""

from typing import TYPE_CHECKING

from ...basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from .cost import device_runs, mixed_cost
    from .graph_stretches import stretches
    from .search import MixedPlacement, best_placements
    from .times import MixedTimes
else:
    __getattr__ = _deferred(
        __name__,
        {
            "device_runs": "cost",
            "mixed_cost": "cost",
            "MixedPlacement": "search",
            "best_placements": "search",
            "stretches": "graph_stretches",
            "MixedTimes": "times",
        },
    )

__all__ = ["MixedPlacement", "MixedTimes", "best_placements", "device_runs", "mixed_cost", "stretches"]

"""Placement by gain: the claimed nodes that the device keeps, by the times of nodes and transfers."""

from typing import TYPE_CHECKING

from ...basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from .cost import PlacementCost, SubgraphCost, placement_cost, subgraph_costs
    from .cut import best_cut
    from .gain import Gain
    from .kernel_times import ESTIMATE, MEASURED, KernelTimes, TimesKey, source_text
    from .loss import Loss
    from .placing import Placement, place
    from .times import PlacementTimes
else:
    __getattr__ = _deferred(
        __name__,
        {
            "PlacementCost": "cost",
            "SubgraphCost": "cost",
            "placement_cost": "cost",
            "subgraph_costs": "cost",
            "best_cut": "cut",
            "Gain": "gain",
            "ESTIMATE": "kernel_times",
            "MEASURED": "kernel_times",
            "KernelTimes": "kernel_times",
            "TimesKey": "kernel_times",
            "source_text": "kernel_times",
            "Loss": "loss",
            "Placement": "placing",
            "place": "placing",
            "PlacementTimes": "times",
        },
    )

__all__ = [
    "ESTIMATE",
    "MEASURED",
    "Gain",
    "KernelTimes",
    "Loss",
    "Placement",
    "PlacementCost",
    "PlacementTimes",
    "SubgraphCost",
    "TimesKey",
    "best_cut",
    "place",
    "placement_cost",
    "source_text",
    "subgraph_costs",
]

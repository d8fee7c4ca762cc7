"""Placement by gain: which of the claimed nodes the device keeps, given what everything takes."""

from .cost import PlacementCost, SubgraphCost, placement_cost, subgraph_costs
from .cut import best_cut
from .gain import Gain
from .kernel_times import ESTIMATE, MEASURED, KernelTimes, TimesKey, source_text
from .loss import Loss
from .place import Placement, place
from .times import PlacementTimes

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

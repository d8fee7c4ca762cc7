"""Tools for tests of delegates, and our own: checked partitions, delegates without a device, planted faults."""

from .delegates import GroupKernel, NamedDelegate, WalkingDelegate
from .faults import FaultyDelegate, FaultyWalkingDelegate, HeldKernel, PlantedFaults
from .partitions import model_violations, recorded_graph

__all__ = [
    "FaultyDelegate",
    "FaultyWalkingDelegate",
    "GroupKernel",
    "HeldKernel",
    "NamedDelegate",
    "PlantedFaults",
    "WalkingDelegate",
    "model_violations",
    "recorded_graph",
]

"""Who runs what: execution orders, runs and proofs, as pure functions over a small abstract graph."""

from .graph import PartitionGraph, PartitionTensor, runs_of
from .minimum import Minimum, minimum_runs, order_with_fewest_runs
from .options import PartitionOptions

__all__ = [
    "Minimum",
    "PartitionGraph",
    "PartitionOptions",
    "PartitionTensor",
    "minimum_runs",
    "order_with_fewest_runs",
    "runs_of",
]

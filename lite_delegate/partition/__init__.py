"""Who runs what: execution orders, runs and proofs, as pure functions over a small abstract graph."""

from .graph import PartitionGraph, runs_of
from .minimum import Minimum, minimum_runs, order_with_fewest_runs

__all__ = ["Minimum", "PartitionGraph", "minimum_runs", "order_with_fewest_runs", "runs_of"]

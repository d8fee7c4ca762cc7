"""Who runs what: execution orders, runs and proofs, as pure functions over a small abstract graph."""

from .chains import quantize_chains
from .crossing import boundary_bytes
from .graph import PartitionGraph, PartitionTensor, runs_of
from .limits import Worth
from .minimum import MinimumRuns, minimum_runs, order_with_fewest_runs
from .options import PartitionOptions
from .planner import Place, allowed, partition
from .policy import check_words, rejected_by_policy
from .result import Partition

__all__ = [
    "MinimumRuns",
    "Partition",
    "PartitionGraph",
    "PartitionOptions",
    "PartitionTensor",
    "Place",
    "Worth",
    "allowed",
    "boundary_bytes",
    "check_words",
    "minimum_runs",
    "order_with_fewest_runs",
    "partition",
    "quantize_chains",
    "rejected_by_policy",
    "runs_of",
]

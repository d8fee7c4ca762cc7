"""Partitioning: execution orders, runs and proofs, as pure functions over a small abstract graph."""

from typing import TYPE_CHECKING

from ..basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from .chains import quantize_chains
    from .crossing import boundary_bytes
    from .graph import PartitionGraph, PartitionTensor, runs_of
    from .limits import Worth
    from .minimum import MinimumRuns, minimum_runs, order_with_fewest_runs
    from .options import PartitionOptions
    from .planner import Place, allowed, partition
    from .policy import check_words, rejected_by_policy
    from .result import Partition
else:
    __getattr__ = _deferred(
        __name__,
        {
            "quantize_chains": "chains",
            "boundary_bytes": "crossing",
            "PartitionGraph": "graph",
            "PartitionTensor": "graph",
            "runs_of": "graph",
            "Worth": "limits",
            "MinimumRuns": "minimum",
            "minimum_runs": "minimum",
            "order_with_fewest_runs": "minimum",
            "PartitionOptions": "options",
            "Place": "planner",
            "allowed": "planner",
            "partition": "planner",
            "check_words": "policy",
            "rejected_by_policy": "policy",
            "Partition": "result",
        },
    )

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

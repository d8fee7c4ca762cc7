"""Shadow mode: compares a delegate's numbers with those of the reference kernels."""

from ..numerics.metrics import Metrics, metrics_of
from ..numerics.usability import OutputUse, UsableLimits
from .compare import CompareOptions, compare
from .loss import Loss
from .repair import PlanCost, Repair, RepairOptions
from .reports.report import RENDERERS, ComparisonReport, comparison_schema
from .reproducer import Reproducer
from .results import Comparison, Culprit, Outcome, TensorComparison

__all__ = [
    "CompareOptions",
    "Comparison",
    "ComparisonReport",
    "Culprit",
    "Loss",
    "Metrics",
    "Outcome",
    "OutputUse",
    "PlanCost",
    "RENDERERS",
    "Repair",
    "RepairOptions",
    "Reproducer",
    "TensorComparison",
    "UsableLimits",
    "compare",
    "comparison_schema",
    "metrics_of",
]

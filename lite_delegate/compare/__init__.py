"""Shadow mode: where a delegate's numbers leave those of the reference kernels."""

from .compare import CompareOptions, compare
from .metrics import Metrics, metrics_of
from .report import Comparison, ComparisonReport, Culprit, Outcome, TensorComparison
from .reproducer import Reproducer
from .schema import comparison_schema

__all__ = [
    "CompareOptions",
    "Comparison",
    "ComparisonReport",
    "Culprit",
    "Metrics",
    "Outcome",
    "Reproducer",
    "TensorComparison",
    "compare",
    "comparison_schema",
    "metrics_of",
]

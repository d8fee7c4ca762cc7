"""Shadow mode: where a delegate's numbers leave those of the reference kernels."""

from .compare import CompareOptions, compare
from .metrics import Metrics, metrics_of
from .report import Comparison, ComparisonReport, Culprit, Outcome, TensorComparison
from .reproducer import Reproducer

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
    "metrics_of",
]

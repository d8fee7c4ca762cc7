"""Shadow mode: where a delegate's numbers leave those of the reference kernels."""

from ..numerics.metrics import Metrics, metrics_of
from .compare import CompareOptions, compare
from .report import RENDERERS, ComparisonReport
from .reproducer import Reproducer
from .results import Comparison, Culprit, Outcome, TensorComparison
from .schema import comparison_schema

__all__ = [
    "CompareOptions",
    "Comparison",
    "ComparisonReport",
    "Culprit",
    "Metrics",
    "Outcome",
    "RENDERERS",
    "Reproducer",
    "TensorComparison",
    "compare",
    "comparison_schema",
    "metrics_of",
]

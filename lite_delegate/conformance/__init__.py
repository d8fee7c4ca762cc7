"""The operator conformance suite: cases, runner, results."""

from .case import ConformanceCase
from .results import CaseResult, ConformanceReport, OperatorResult, Outcome
from .runner import all_cases, case_graph, run_case, run_conformance

__all__ = [
    "CaseResult",
    "ConformanceCase",
    "ConformanceReport",
    "OperatorResult",
    "Outcome",
    "all_cases",
    "case_graph",
    "run_case",
    "run_conformance",
]

"""The operator conformance suite: cases, runner, verdicts.

``run_conformance`` runs cases on a ``Delegate`` object in this process; ``run_in_workers`` on a delegate that a SPEC
names, in processes of its own, with a time limit.
"""

from .judging.case import ConformanceCase
from .judging.case_graph import case_graph
from .known import read_known
from .pattern_runner import run_pattern
from .patterns.all import all_patterns
from .patterns.pattern import Pattern
from .reports.defects import Defect, Stage
from .reports.report import RENDERERS, ConformanceReport
from .reports.results import CaseOutcome, CaseResult, FailureKind, OperatorResult, ReasonResult, Verdict
from .runner import run_case, run_conformance
from .suite import all_cases, operators_without_cases
from .workers.pool import WorkerPool
from .workers.run import run_in_workers

__all__ = [
    "CaseResult",
    "ConformanceCase",
    "ConformanceReport",
    "Defect",
    "FailureKind",
    "OperatorResult",
    "Pattern",
    "CaseOutcome",
    "RENDERERS",
    "ReasonResult",
    "Stage",
    "Verdict",
    "WorkerPool",
    "all_cases",
    "all_patterns",
    "case_graph",
    "operators_without_cases",
    "read_known",
    "run_case",
    "run_conformance",
    "run_in_workers",
    "run_pattern",
]

"""The operator conformance suite: cases, runner, verdicts.

``run_conformance`` runs cases on a ``Delegate`` object in this process; ``run_in_workers`` on a delegate that a SPEC
names, in processes of its own, with a time limit.
"""

from .case import ConformanceCase
from .case_graph import case_graph
from .report import RENDERERS, ConformanceReport
from .results import CaseOutcome, CaseResult, FailureKind, OperatorResult, Verdict
from .runner import run_case, run_conformance
from .suite import all_cases, operators_without_cases
from .workers.pool import WorkerPool
from .workers.run import run_in_workers

__all__ = [
    "CaseResult",
    "ConformanceCase",
    "ConformanceReport",
    "FailureKind",
    "OperatorResult",
    "CaseOutcome",
    "RENDERERS",
    "Verdict",
    "WorkerPool",
    "all_cases",
    "case_graph",
    "operators_without_cases",
    "run_case",
    "run_conformance",
    "run_in_workers",
]

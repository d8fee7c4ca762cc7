"""Runs a pattern against a delegate in this process, or against the CPU."""

from __future__ import annotations

from dataclasses import replace

from ..basics.failures import said, traceback_text
from ..basics.unforeseen import FAILURES
from ..delegate import Delegate, RejectCode
from ..errors import UnsupportedOperatorError
from ..numerics.tolerance import RTOL
from ..runtime.records import PartitionRecord
from .judging.chain import chain_graph
from .judging.oracle import Grant, Oracle
from .judging.promised import granted_steps
from .judging.witness import Witness
from .measuring import measured
from .patterns.pattern import Pattern
from .reports.results import CaseOutcome, CaseResult, FailureKind
from .trials.trial import build, raised_in


def run_pattern(pattern: Pattern, delegate: Delegate | None, *, closely: bool = True) -> CaseResult:
    """Runs one pattern. Where the delegate claims none of its nodes, it has rejected it.

    Args:
        pattern: the pattern.
        delegate: None for the CPU.
        closely: what is right goes through forks, threads, a resize and a rebuild; of what is wrong more is told.
    """
    witness = None if delegate is None else Witness(delegate)
    try:
        return replace(_judged(pattern, witness, closely=closely), is_close=closely)
    except UnsupportedOperatorError as e:
        return CaseResult(pattern.family, pattern.name, CaseOutcome.REJECTED, None, str(e))
    except FAILURES as e:  # a delegate's own code may raise anything
        return CaseResult.failed(pattern.family, pattern.name, FailureKind.RAISED, said(e), traceback_text(e))


def _judged(pattern: Pattern, witness: Witness | None, *, closely: bool) -> CaseResult:
    storage = None if witness is None else witness.storage_dtype
    saturates = witness is not None and not witness.infinite_results
    grant = Grant(RTOL, pattern.steps, storage, granted_steps(witness, pattern.chain), saturates)
    first = Oracle(pattern.chain, grant).expect(pattern.chain.inputs)
    if first is None:
        return CaseResult(pattern.family, pattern.name, CaseOutcome.OUT_OF_RANGE, None, "")
    model = build(chain_graph(pattern.chain, first.outputs), witness)
    record = model.get_partition()
    broken = next((n for n in record.nodes if n.code is RejectCode.COMPILE_FAILED), None)
    if broken is not None:
        detail, kind = f"'{broken.name}': {broken.code}: {broken.reason}", FailureKind.RAISED
        return CaseResult.failed(pattern.family, pattern.name, kind, detail, raised_in(model))
    if witness is not None and not record.subgraphs:
        return _rejected(pattern, record)
    passed = CaseResult(pattern.family, pattern.name, CaseOutcome.PASSED, None, "")
    result = measured(passed, pattern.chain, model, witness, first, grant, closely=closely)
    is_unnamed = result.outcome is CaseOutcome.WRONG and result.defect is None
    return replace(result, defect=pattern.tells) if is_unnamed else result


def _rejected(pattern: Pattern, record: PartitionRecord) -> CaseResult:
    node = record.nodes[0]
    detail = f"{node.code}: {node.reason}"
    return CaseResult(pattern.family, pattern.name, CaseOutcome.REJECTED, None, detail, code=node.code)

"""Runs the model of a chain with its data, and tries it further where the first run was right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..basics.failures import traceback_text
from ..errors import DelegateExecuteError
from ..mindspore.model import Model
from ..numerics.errors import measure
from .diagnosis.diagnose import diagnose, diagnose_untaken
from .finding import Finding
from .judging.case import Array
from .judging.chain import Chain
from .judging.mismatch import numbers, unlike
from .judging.oracle import Expected, Grant
from .judging.witness import Witness
from .reports.defects import Stage
from .reports.results import CaseOutcome, CaseResult, FailureKind
from .trials.all import trial_of, tried
from .trials.trial import InputWritten, run


def measured(
    passed: CaseResult,
    chain: Chain,
    model: Model,
    witness: Witness | None,
    first: Expected,
    grant: Grant,
    *,
    closely: bool,
) -> CaseResult:
    """The result of a chain whose nodes the delegate has taken.

    Args:
        passed: the result as it is when nothing is wrong, without errors.
        chain: the chain.
        model: its model.
        witness: the delegate; None: the CPU.
        first: the chain's data, and what must come of it.
        grant: the error that is granted to other data.
        closely: see ``run_case``.
    """
    try:
        outputs = run(model, first)
    except InputWritten as e:
        return _with_finding(passed, e.finding(Stage.FIRST))
    except DelegateExecuteError as e:
        defect, place = diagnose_untaken(model, first)
        failed = CaseResult.failed(passed.op_type, passed.name, FailureKind.RAISED, str(e), traceback_text(e))
        return replace(failed, stage=Stage.FIRST, defect=defect, defect_place=place)
    result = compared(passed, outputs, first)
    if result.outcome is not CaseOutcome.PASSED:
        defect, place = diagnose(chain, first, outputs, closely=closely)
        return replace(result, stage=Stage.FIRST, defect=defect, defect_place=place)
    trial = trial_of(chain, model, witness, first, outputs, grant)
    finding = tried(trial, closely=closely)
    return result if finding is None else _with_finding(result, finding, trial.chain, closely=closely)


def compared(passed: CaseResult, outputs: Sequence[Array], expected: Expected) -> CaseResult:
    """The result with the errors; WRONG with the first output that is."""
    other = unlike(outputs, expected.outputs)
    if other:
        return replace(passed, outcome=CaseOutcome.WRONG, detail=other)
    errors = measure([numbers(y) for y in outputs], [numbers(y) for y in expected.outputs])
    return CaseResult.compared(passed.op_type, passed.name, errors, expected.mismatch(outputs))


def _with_finding(
    result: CaseResult, finding: Finding, chain: Chain | None = None, *, closely: bool = False
) -> CaseResult:
    defect, place = finding.defect, ""
    if defect is None and finding.data is not None and chain is not None:
        defect, place = diagnose(chain.with_arrays(finding.data.inputs), finding.data, finding.got, closely=closely)
    return replace(
        result,
        outcome=finding.outcome,
        failure=finding.failure,
        detail=finding.detail,
        traceback=finding.traceback,
        stage=finding.stage,
        defect=defect,
        defect_place=place,
    )

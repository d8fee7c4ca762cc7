"""Runs conformance cases against a delegate in this process, or against the CPU."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..basics.failures import said, traceback_text
from ..basics.unforeseen import FAILURES
from ..delegate import Delegate, RejectCode
from ..errors import LiteDelegateError, UnsupportedOperatorError
from ..ir import DataType
from ..mindspore.model import Model
from ..runtime.records import NodeRecord
from .choosing import chosen
from .judging.case import Array, ConformanceCase
from .judging.case_graph import case_graph, variable_inputs
from .judging.chain import chain_of
from .judging.oracle import Expected, Grant
from .judging.promised import granted_steps, has_special_values, tamed
from .judging.tolerance import rounded_inputs, tolerance_of
from .judging.witness import Witness, why_not_forceable
from .measuring import measured
from .reports.report import ConformanceReport
from .reports.results import CaseOutcome, CaseResult, FailureKind
from .trials.trial import build, raised_in


def run_conformance(
    cases: Iterable[ConformanceCase], delegate: Delegate | None, *, force: bool = True, thorough: bool = False
) -> ConformanceReport:
    """Runs every case on the delegate, or on the CPU when it is None, in this process and without a time limit.

    Args:
        cases: the cases.
        delegate: None for the CPU.
        force: as of ``run_case``.
        thorough: look at every case closely, not at a few per operator.
    """
    name, kept = "none" if delegate is None else delegate.name, list(cases)
    results = [run_case(case, delegate, force=force, closely=thorough) for case in kept]
    for i in [] if thorough or delegate is None else chosen(results):
        results[i] = run_case(kept[i], delegate, force=force)
    return ConformanceReport(name, tuple(results))


def run_case(
    case: ConformanceCase, delegate: Delegate | None, *, force: bool = True, closely: bool = True
) -> CaseResult:
    """Runs one case. A delegate that does not claim the node has rejected it, whatever the CPU makes of it.

    Args:
        case: the case.
        delegate: None for the CPU.
        force: run what is rejected once more, claimed by force, to find under-claims.
        closely: what is right goes through forks, threads, a resize and a rebuild; of what is wrong more is told.
    """
    result = claimed_result(case, delegate, closely=closely)
    if force and delegate is not None and result.outcome is CaseOutcome.REJECTED:
        return forced_result(case, delegate, result)
    return result


def claimed_result(case: ConformanceCase, delegate: Delegate | None, *, closely: bool = False) -> CaseResult:
    """The case with the node where the delegate wants it."""
    if delegate is None:
        return _judged(case, None, closely=closely)
    result = _judged(case, Witness(delegate), closely=closely)
    if result.outcome is CaseOutcome.WRONG and not delegate.special_values and has_special_values(case):
        return _with_finite_numbers(case, delegate, result)
    return result


def _with_finite_numbers(case: ConformanceCase, delegate: Delegate, wrong: CaseResult) -> CaseResult:
    """The result of a case that is wrong, and has numbers that the delegate promises nothing of: what finite ones
    in their place give counts.
    """
    finite = tamed(case)
    try:
        with np.errstate(all="ignore"):
            finite = replace(finite, outputs=tuple(reference_outputs(finite)))
    except LiteDelegateError:  # the operator does not take these; then nothing excuses what is wrong
        return wrong
    result = _judged(finite, Witness(delegate))
    if result.outcome is CaseOutcome.REJECTED:
        return wrong
    if result.outcome is not CaseOutcome.PASSED:
        return replace(result, detail=f"with finite numbers in place of NaN and infinities: {result.detail}")
    detail = f"NaN or infinities: {wrong.detail}"
    return CaseResult(case.op_type, case.name, CaseOutcome.OUT_OF_RANGE, None, detail)


def forced_result(case: ConformanceCase, delegate: Delegate, rejected: CaseResult) -> CaseResult:
    """The result of a rejected case when the delegate is made to take it: the fields ``forced``, ``forced_detail``."""
    obstacle = _why_not_forced(case, delegate, rejected)
    if obstacle:
        return rejected.with_forced(None, f"not forced: {obstacle}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it was not made for
        result = _judged(case, Witness(delegate, force=True))
    return rejected.with_forced(result.outcome, result.detail)


def _why_not_forced(case: ConformanceCase, delegate: Delegate, rejected: CaseResult) -> str:
    if rejected.code is RejectCode.NO_DEVICE:
        return "the device is not there"
    if not any(y.size for y in case.outputs):
        return "its outputs have no elements, so passing would prove nothing"
    return why_not_forceable(delegate)


def _judged(case: ConformanceCase, witness: Witness | None, *, closely: bool = False) -> CaseResult:
    try:
        model = build(case_graph(case), witness)
        (node,) = model.get_partition().nodes
        if witness is not None and node.subgraph is None:
            return replace(_left_out(case, node, witness), traceback=raised_in(model))
        return replace(_measured(case, model, witness, closely=closely), is_close=closely)
    except UnsupportedOperatorError as e:
        return CaseResult(case.op_type, case.name, CaseOutcome.REJECTED, None, str(e))
    except FAILURES as e:  # a delegate's own code may raise anything
        return CaseResult.failed(case.op_type, case.name, FailureKind.RAISED, said(e), traceback_text(e))


def _measured(case: ConformanceCase, model: Model, witness: Witness | None, *, closely: bool) -> CaseResult:
    storage = None if witness is None else witness.storage_dtype
    achievable = [] if storage is None else _achievable(case, storage)
    if achievable is None:
        return CaseResult(case.op_type, case.name, CaseOutcome.OUT_OF_RANGE, None, "")
    chain = chain_of(case)
    steps = granted_steps(witness, chain)
    tolerances = tuple(tolerance_of(case, i, storage, achievable, steps) for i in range(len(case.outputs)))
    saturates = witness is not None and not witness.infinite_results
    first = Expected(chain.inputs, case.outputs, tolerances, saturates)
    passed = CaseResult(case.op_type, case.name, CaseOutcome.PASSED, None, "")
    grant = Grant(case.rtol, case.atol, storage, steps, saturates)
    return measured(passed, chain, model, witness, first, grant, closely=closely)


def _achievable(case: ConformanceCase, storage: DataType) -> list[Array] | None:
    """The CPU's outputs for the inputs as a device with that storage type sees them; None where the case says nothing
    of it: a number is beyond the type's range, or rounding makes outputs of another shape.
    """
    rounded = rounded_inputs(case, storage)
    if rounded is None:
        return None
    made = reference_outputs(replace(case, inputs=rounded))
    same = all(one.shape == want.shape for one, want in zip(made, case.outputs, strict=True))
    return made if same else None


def reference_outputs(case: ConformanceCase) -> list[Array]:
    """The CPU's outputs for the case's inputs; only the number and dtypes of the case's outputs are looked at.

    Raises:
        LiteDelegateError: the CPU cannot run it.
    """
    model = build(case_graph(case), None)
    return [t.data for t in model.predict(variable_inputs(case))]


def _left_out(case: ConformanceCase, node: NodeRecord, witness: Witness) -> CaseResult:
    """A node that was claimed and then not taken, because it could not be compiled or for no reason, has failed."""
    detail = f"{node.code}: {node.reason}"
    if witness.claims or node.code is RejectCode.COMPILE_FAILED:
        return CaseResult.failed(case.op_type, case.name, FailureKind.RAISED, detail)
    told = witness.rejection
    rule = told.rule if told is not None and told.code is node.code else ""
    return CaseResult(case.op_type, case.name, CaseOutcome.REJECTED, None, detail, code=node.code, rule=rule)

"""Runs conformance cases against a delegate in this process, or against the CPU."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace

from ..context import Context
from ..delegate import Delegate, RejectCode
from ..errors import DelegateWarning, UnsupportedOperatorError
from ..failures import said, traceback_text
from ..model import Model
from ..runtime.records import NodeRecord
from ..tensor import Tensor
from .case import Array, ConformanceCase
from .case_graph import case_graph, variable_inputs
from .compare import compare
from .report import ConformanceReport
from .results import CaseOutcome, CaseResult, FailureKind
from .tolerance import rounded_inputs, tolerance_of
from .witness import Witness, why_not_forceable


def run_conformance(
    cases: Iterable[ConformanceCase], delegate: Delegate | None, *, force: bool = True
) -> ConformanceReport:
    """Runs every case on the delegate, or on the CPU when it is None, in this process and without a time limit."""
    name = "none" if delegate is None else delegate.name
    return ConformanceReport(name, tuple(run_case(case, delegate, force=force) for case in cases))


def run_case(case: ConformanceCase, delegate: Delegate | None, *, force: bool = True) -> CaseResult:
    """Runs one case. A delegate that does not claim the node has rejected it, whatever the CPU makes of it.

    Args:
        case: the case.
        delegate: None for the CPU.
        force: run what is rejected once more, claimed by force, to find under-claims.
    """
    result = claimed_result(case, delegate)
    if force and delegate is not None and result.outcome is CaseOutcome.REJECTED:
        return forced_result(case, delegate, result)
    return result


def claimed_result(case: ConformanceCase, delegate: Delegate | None) -> CaseResult:
    """The case with the node where the delegate wants it."""
    return _judged(case, None if delegate is None else Witness(delegate))


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


def _judged(case: ConformanceCase, witness: Witness | None) -> CaseResult:
    try:
        model, node = _built(case, witness)
        if witness is not None and node.subgraph is None:
            return replace(_left_out(case, node, witness), traceback=_traceback(model))
        return _measured(case, model, witness)
    except UnsupportedOperatorError as e:
        return CaseResult(case.op_type, case.name, CaseOutcome.REJECTED, None, str(e))
    except Exception as e:  # a delegate's own code may raise anything
        return CaseResult.failed(case.op_type, case.name, FailureKind.RAISED, said(e), traceback_text(e))


def _measured(case: ConformanceCase, model: Model, witness: Witness | None) -> CaseResult:
    storage = None if witness is None else witness.storage_dtype
    rounded = case.inputs if storage is None else rounded_inputs(case, storage)
    if rounded is None:
        return CaseResult(case.op_type, case.name, CaseOutcome.OUT_OF_RANGE, None, "")
    achievable = [] if storage is None else reference_outputs(replace(case, inputs=rounded))
    given = {name: Tensor(x) for name, x in variable_inputs(case).items()}
    outputs = [t.data for t in model.predict(given)]
    tolerances = [tolerance_of(case, i, storage, achievable) for i in range(len(case.outputs))]
    result = compare(case, outputs, tolerances)
    written = [name for name, x in variable_inputs(case).items() if given[name].data.tobytes() != x.tobytes()]
    return replace(result, outcome=CaseOutcome.WRONG, detail=f"{written[0]} was written to") if written else result


def reference_outputs(case: ConformanceCase) -> list[Array]:
    """The CPU's outputs for the case's inputs; only the number and dtypes of the case's outputs are looked at.

    Raises:
        LiteDelegateError: the CPU cannot run it.
    """
    model, _ = _built(case, None)
    return [t.data for t in model.predict(variable_inputs(case))]


def _built(case: ConformanceCase, delegate: Delegate | None) -> tuple[Model, NodeRecord]:
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)  # what it says is in the record
        model.build_from_graph(case_graph(case), context)
    (node,) = model.get_partition().nodes
    return model, node


def _traceback(model: Model) -> str:
    """What the delegate raised while the model was planned, "" for nothing."""
    return next((failure.traceback for failure in model.get_partition().failures), "")


def _left_out(case: ConformanceCase, node: NodeRecord, witness: Witness) -> CaseResult:
    """A node that was claimed and then not taken, because it could not be compiled or for no reason, has failed."""
    detail = f"{node.code}: {node.reason}"
    if witness.claims or node.code is RejectCode.COMPILE_FAILED:
        return CaseResult.failed(case.op_type, case.name, FailureKind.RAISED, detail)
    return CaseResult(case.op_type, case.name, CaseOutcome.REJECTED, None, detail, code=node.code)

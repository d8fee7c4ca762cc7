"""Runs conformance cases against a delegate, or against the CPU."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..delegate import Delegate, RejectCode
from ..errors import DelegateWarning, LiteDelegateError
from ..ir import Graph, Node, Value, constant, from_numpy, make_primitive
from ..runtime import Context, Model, NodeRecord
from ..tensor import Tensor
from . import cases as case_package
from .case import Array, ConformanceCase
from .results import CaseResult, ConformanceReport, Outcome
from .tolerance import Tolerance, rounded_inputs, tolerance_of


def all_cases(op_types: Iterable[str] = ()) -> Iterator[ConformanceCase]:
    """The packaged cases, of all operators or of the named ones, in a fixed order.

    Raises:
        LiteDelegateError: an operator that has no cases.
    """
    wanted = set(op_types)
    found: set[str] = set()
    modules = sorted(m.name for m in pkgutil.iter_modules(case_package.__path__) if m.name.startswith("case_"))
    for module in modules:
        for case in importlib.import_module(f"{case_package.__name__}.{module}").cases():
            found.add(case.op_type)
            if not wanted or case.op_type in wanted:
                yield case
    if wanted - found:
        raise LiteDelegateError(
            f"No conformance cases for {', '.join(sorted(wanted - found))}. There are: {', '.join(sorted(found))}."
        )


def run_conformance(cases: Iterable[ConformanceCase], delegate: Delegate | None) -> ConformanceReport:
    """Runs every case on the delegate, or on the CPU when it is None."""
    name = "none" if delegate is None else delegate.name
    return ConformanceReport(name, tuple(run_case(case, delegate) for case in cases))


def run_case(case: ConformanceCase, delegate: Delegate | None) -> CaseResult:
    """Runs one case. A delegate that does not claim the node has refused it, whatever the CPU makes of it."""
    try:
        model, node = _built(case, delegate)
        if delegate is not None and node.subgraph is None:
            return _refused(case, node)
        storage = None if delegate is None else delegate.storage_dtype
        rounded = case.inputs if storage is None else rounded_inputs(case, storage)
        if rounded is None:
            return CaseResult(case.op_type, case.name, Outcome.OUT_OF_RANGE, None, "")
        achievable = [] if storage is None else _outputs(_built(replace(case, inputs=rounded), None)[0], case, rounded)
        outputs = _outputs(model, case, case.inputs)
    except LiteDelegateError as e:
        return CaseResult(case.op_type, case.name, Outcome.FAILED, None, str(e))
    tolerances = [tolerance_of(case, i, storage, achievable) for i in range(len(case.outputs))]
    return _compare(case, outputs, tolerances)


def _built(case: ConformanceCase, delegate: Delegate | None) -> tuple[Model, NodeRecord]:
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)  # what it says is in the record
        model.build_from_graph(case_graph(case), context)
    (node,) = model.get_partition().nodes
    return model, node


def _outputs(model: Model, case: ConformanceCase, inputs: Sequence[Array | None]) -> list[Array]:
    given = [Tensor(x) for i, x in enumerate(inputs) if x is not None and i not in case.constants]
    return [t.data for t in model.predict(given)]


def _refused(case: ConformanceCase, node: NodeRecord) -> CaseResult:
    """A node that was claimed and then could not be compiled counts as failed."""
    outcome = Outcome.FAILED if node.code is RejectCode.COMPILE_FAILED else Outcome.REFUSED
    return CaseResult(case.op_type, case.name, outcome, None, f"{node.code}: {node.reason}")


def case_graph(case: ConformanceCase) -> Graph:
    """A graph of the case's one node: its variable inputs are the graph's inputs, its outputs the graph's outputs."""
    operands = [_operand(i, x, i in case.constants) for i, x in enumerate(case.inputs)]
    outputs = [Value(f"output_{i}", from_numpy(y.dtype), y.shape) for i, y in enumerate(case.outputs)]
    node = Node(case.name, make_primitive(case.op_type, **case.attributes), operands, list(outputs))
    inputs = [v for v in operands if v is not None and not v.is_constant]
    return Graph(f"{case.op_type}_{case.name}", inputs, outputs, [node])


def _operand(index: int, x: Array | None, is_constant: bool) -> Value | None:
    if x is None:
        return None
    if is_constant:
        return constant(f"input_{index}", x)
    return Value(f"input_{index}", from_numpy(x.dtype), x.shape)


def _compare(case: ConformanceCase, outputs: Sequence[Array], tolerances: Sequence[Tolerance]) -> CaseResult:
    largest = 0.0
    for i, (got, want, tolerance) in enumerate(zip(outputs, case.outputs, tolerances, strict=True)):
        if (got.dtype, got.shape) != (want.dtype, want.shape):
            detail = f"output {i}: expected {want.dtype} {want.shape}, got {got.dtype} {got.shape}"
            return CaseResult(case.op_type, case.name, Outcome.WRONG, None, detail)
        largest = max(largest, _max_abs(got, want))
        accepted = tolerance.accepts(got, want)
        if not accepted.all():
            detail = f"output {i}: {_mismatch(got, want, accepted, tolerance)}"
            return CaseResult(case.op_type, case.name, Outcome.WRONG, largest, detail)
    return CaseResult(case.op_type, case.name, Outcome.PASSED, largest, "")


def _mismatch(got: Array, want: Array, accepted: Array, tolerance: Tolerance) -> str:
    index = tuple(int(i) for i in np.argwhere(~accepted)[0])
    atol = float(np.broadcast_to(tolerance.atol, want.shape)[index])
    return (
        f"{int((~accepted).sum())} of {accepted.size} elements differ, first at {index}: "
        f"expected {want[index]}, got {got[index]} (rtol {tolerance.rtol:g}, atol {atol:g})"
    )


def _max_abs(got: Array, want: Array) -> float:
    with np.errstate(invalid="ignore"):
        difference = np.abs(got.astype(np.float64) - want.astype(np.float64))
    return float(difference[np.isfinite(difference)].max(initial=0.0))

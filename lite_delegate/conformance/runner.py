"""Runs conformance cases against a delegate, or against the CPU."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Iterable, Iterator

import numpy as np

from ..delegate import Delegate
from ..errors import LiteDelegateError
from ..ir import Graph, Node, Value, constant, from_numpy, make_primitive
from ..runtime import Context, Model
from ..tensor import Tensor
from . import cases as case_package
from .case import Array, ConformanceCase
from .results import CaseResult, ConformanceReport, Outcome

ROUNDINGS = 8
"""How many roundings of its own arithmetic a delegate is granted beyond a case's tolerance.

One for each input, one for each weight and one for the result make three for an operator of one instruction;
the rest is for operators that a device computes in several. Measured against the largest expected value, since
the roundings of a sum's terms do not shrink when the terms cancel.
"""


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
        model = Model()
        context = Context()
        context.set_delegate(delegate)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.build_from_graph(case_graph(case), context)
        (node,) = model.get_partition().nodes
        if delegate is not None and node.subgraph is None:
            return _refused(case, node.code == "COMPILE_FAILED", f"{node.code}: {node.reason}")
        given = [x for i, x in enumerate(case.inputs) if x is not None and i not in case.constants]
        outputs = model.predict([Tensor(x) for x in given])
    except LiteDelegateError as e:
        return CaseResult(case.op_type, case.name, Outcome.FAILED, None, str(e))
    roundoff = 0.0 if delegate is None else delegate.unit_roundoff
    return _compare(case, [t.data for t in outputs], roundoff)


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


def _refused(case: ConformanceCase, claimed: bool, detail: str) -> CaseResult:
    outcome = Outcome.FAILED if claimed else Outcome.REFUSED
    return CaseResult(case.op_type, case.name, outcome, None, detail)


def _compare(case: ConformanceCase, outputs: list[Array], roundoff: float) -> CaseResult:
    largest = 0.0
    for i, (got, want) in enumerate(zip(outputs, case.outputs, strict=True)):
        if (got.dtype, got.shape) != (want.dtype, want.shape):
            detail = f"output {i}: expected {want.dtype} {want.shape}, got {got.dtype} {got.shape}"
            return CaseResult(case.op_type, case.name, Outcome.WRONG, None, detail)
        largest = max(largest, _max_abs(got, want))
        detail = _mismatch(case, got, want, roundoff)
        if detail:
            return CaseResult(case.op_type, case.name, Outcome.WRONG, largest, f"output {i}: {detail}")
    return CaseResult(case.op_type, case.name, Outcome.PASSED, largest, "")


def _mismatch(case: ConformanceCase, got: Array, want: Array, roundoff: float) -> str:
    granted = ROUNDINGS * roundoff if want.dtype.kind == "f" else 0.0
    rtol = max(case.rtol, granted)
    atol = max(case.atol, granted * _magnitude(want))
    close = np.isclose(_wide(got), _wide(want), rtol=rtol, atol=atol, equal_nan=True)
    if close.all():
        return ""
    index = tuple(int(i) for i in np.argwhere(~close)[0])
    return (
        f"{int((~close).sum())} of {close.size} elements differ (rtol {rtol:g}, atol {atol:g}), "
        f"first at {index}: expected {want[index]}, got {got[index]}"
    )


def _max_abs(got: Array, want: Array) -> float:
    with np.errstate(invalid="ignore"):
        difference = np.abs(_wide(got) - _wide(want))
    finite = difference[np.isfinite(difference)]
    return float(finite.max(initial=0.0))


def _magnitude(want: Array) -> float:
    finite = np.abs(_wide(want))
    return float(finite[np.isfinite(finite)].max(initial=0.0))


def _wide(x: Array) -> Array:
    return x.astype(np.float64)

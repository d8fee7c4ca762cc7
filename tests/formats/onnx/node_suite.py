"""ONNX's node test cases, each through the importer and the runtime."""

from __future__ import annotations

import functools
import pickle
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

from lite_delegate.basics.files import write_whole
from lite_delegate.errors import LiteDelegateError, UnsupportedOperatorError
from lite_delegate.formats.onnx import read_onnx_buffer
from lite_delegate.formats.onnx.protobuf.types import as_declared, widened
from lite_delegate.ir import custom_type
from lite_delegate.mindspore.model import Model
from tests.formats.customs import reasons

KEPT = Path(__file__).parents[3] / ".pytest_cache" / f"onnx-{onnx.__version__}-numpy-{np.__version__}.pickle"
"""What ONNX expects of its cases, which it takes ten seconds to compute, and every worker needs."""
ONNX_VERSION = "1.23.2"
"""The version of ONNX whose cases the document counts."""

NEARER = {
    "test_attention_4d_causal_fp16": "float16, two units in the last place apart",
    "test_attention_4d_causal_fp16_expanded": "float16, two units in the last place apart",
    "test_dft_inverse": "float32 sums that cancel to 0",
    "test_dft_inverse_opset19": "float32 sums that cancel to 0",
}
"""Cases whose expected values are further from the exact ones than ours; a test measures both distances."""


@dataclass(frozen=True)
class Case:
    """One case of the suite.

    Attributes:
        name: ONNX's name of it.
        operator: the operator under test; "function bodies" where the model holds the body in place of the operator.
        model: what runs.
        data: pairs of inputs and expected outputs.
        rtol: the relative tolerance.
        atol: the absolute tolerance.
    """

    name: str
    operator: str
    model: onnx.ModelProto
    data: Sequence[tuple[Sequence[Any], Sequence[Any]]]
    rtol: float
    atol: float


@dataclass(frozen=True)
class Outcome:
    """What became of a case: passed, or rejected for a reason at import or in the runtime.

    Attributes:
        case: the case.
        stage: "passed", "nearer" (see ``NEARER``), "import", "build" or "run".
        reason: the message of the rejection, empty for one that passed.
        operators: the types of our nodes.
    """

    case: Case
    stage: str
    reason: str
    operators: frozenset[str]


@functools.cache
def cases() -> tuple[Case, ...]:
    """All node cases, in ONNX's order."""
    if KEPT.is_file():
        return tuple(map(_case, pickle.loads(KEPT.read_bytes())))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = load_model_tests(kind="node")
    KEPT.parent.mkdir(exist_ok=True)
    write_whole(KEPT, pickle.dumps(tests))
    return tuple(map(_case, tests))


def _case(test: TestCase) -> Case:
    assert test.model is not None
    assert test.data_sets is not None
    node = test.model.graph.node[-1]
    name = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
    operator = "function bodies" if "_expanded" in test.name else name
    return Case(test.name, operator, test.model, test.data_sets, test.rtol, test.atol)


def run_case(case: Case) -> Outcome:
    """Imports, builds, predicts, and compares by ONNX's own rules and tolerances.

    Raises:
        AssertionError: the numbers, dtypes or shapes are wrong.
    """
    try:
        graph = read_onnx_buffer(case.model.SerializeToString())
    except UnsupportedOperatorError as e:
        return Outcome(case, "import", _reason(e), frozenset())
    operators = frozenset(custom_type(node.primitive) for g in graph.all_graphs() for node in g.nodes)
    model = Model()
    try:
        model.build_from_graph(graph)
    except UnsupportedOperatorError:
        return Outcome(case, "build", reasons(graph)[0].partition("): ")[2], operators)
    except LiteDelegateError as e:
        return Outcome(case, "build", str(e), operators)
    for given, wanted in case.data:
        names = [t.name for t in model.get_inputs()]
        inputs = {name: widened(_array(x)) for name, x in zip(names, given, strict=True)}
        try:
            found = model.predict(inputs)
        except LiteDelegateError as e:
            return Outcome(case, "run", str(e), operators)
        assert [t.name for t in found] == [o.name for o in case.model.graph.output]
        if case.name in NEARER:
            return Outcome(case, "nearer", NEARER[case.name], operators)
        kinds = [output.type.tensor_type.elem_type for output in case.model.graph.output]
        results = [as_declared(t.get_data_to_numpy(), kind) for t, kind in zip(found, kinds, strict=True)]
        Runner.assert_similar_outputs(list(map(_array, wanted)), results, rtol=case.rtol, atol=case.atol)
    return Outcome(case, "passed", "", operators)


def _array(value: Any) -> Any:
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)


def _reason(error: UnsupportedOperatorError) -> str:
    """The first listed reason, without the node's name."""
    line = str(error).splitlines()[1]
    return line.split(": ", 1)[1]

"""What the lowering writes means in ONNX what the operator means here: files, run by ONNX's reference evaluator.

Expected values are the suite's own, of loops and other frameworks.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from zlib import crc32

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from lite_delegate import Kernel, Rejected
from lite_delegate.backends.lowering import STEPS, claim
from lite_delegate.backends.onnx_file.emitter import FileEmitter
from lite_delegate.conformance.judging.case import Array, ConformanceCase
from tests.backends.lowering.cases import cases_by_operator, kernel_of, lowered_operators, written

UNLIKE = {
    "LRN": "the evaluator goes through as many channels as there are batches",
    "ai.onnx.ConvTranspose": "the evaluator cannot do groups over one axis or three",
    "Erf-float64": "the evaluator computes in float32",
    "Activation-gelu_float64": "the evaluator computes in float32",
    "LogSoftmax-large_values_do_not_overflow": "the evaluator takes the logarithm of a softmax",
    "ai.onnx.DynamicQuantizeLinear-zeros": "ONNX divides 0 by 0, the evaluator and runtimes give one scale or another",
    "*GRU-*lengths*": "the evaluator passes over the lengths of sequences",
    "ai.onnx.[LR]*-*lengths*": "the evaluator passes over the lengths of sequences",
    "ai.onnx.*-*clip*": "the evaluator passes over clip",
    "ai.onnx.GRU-candidate_[!T]*": "the evaluator passes over activations",
    "ai.onnx.GRU-candidate_ThresholdedRelu": "the evaluator passes over activations",
    "ai.onnx.LSTM-activations": "the evaluator passes over activations",
    "ai.onnx.LSTM-coupled_gates*": "the evaluator passes over input_forget",
    "ai.onnx.RNN-a*": "the evaluator knows few activations",
}
"""Operators and patterns of cases that the evaluator computes otherwise than ONNX defines them."""
MOST = 12
"""Cases of an operator: a sample, the same one at each run."""
OPERATORS = sorted((family, op_type) for op_type, family in lowered_operators().items())


@pytest.mark.parametrize(("family", "op_type"), OPERATORS)
def test_a_file_gives_what_the_operator_gives(family: str, op_type: str) -> None:
    checks, wrong, count = FileEmitter("claims", (), "", None), [], 0
    for case in sorted(cases_by_operator()[op_type], key=lambda each: crc32(each.name.encode())):
        kernel = kernel_of(case)
        if count == MOST or kernel is None or isinstance(claim(kernel, checks), Rejected) or not is_judged(case):
            continue
        count += 1
        wrong += [f"{case.name}: {trouble}" for trouble in differences(case, evaluated(case, kernel))]
    assert wrong == []
    assert (count > 0) != (op_type in UNLIKE)


def is_judged(case: ConformanceCase) -> bool:
    """Not float16, each of whose steps the evaluator rounds, nor NaN and infinities, which ONNX often leaves open."""
    arrays = [x for x in case.inputs if x is not None]
    plain = all(x.dtype != np.float16 and np.isfinite(x).all() for x in arrays if x.dtype.kind == "f")
    name = f"{case.op_type}-{case.name}"
    return plain and case.op_type not in UNLIKE and not any(fnmatchcase(name, pattern) for pattern in UNLIKE)


def evaluated(case: ConformanceCase, kernel: Kernel) -> list[Array]:
    """The outputs of the file that the kernel is written to."""
    emitter = FileEmitter("case", [tensor.name for tensor in (*kernel.inputs, *kernel.outputs)], "", None)
    file = emitter.finish([(tensor.name, term) for tensor, term in written(kernel, emitter)])
    model = onnx.load_from_string(b"".join(file.pieces))
    arrays = {f"input_{place}": x for place, x in enumerate(case.inputs) if x is not None}
    with np.errstate(all="ignore"):
        return list(ReferenceEvaluator(model).run(None, {each.name: arrays[each.name] for each in model.graph.input}))


def differences(case: ConformanceCase, outputs: Sequence[Array]) -> list[str]:
    """What is not as expected where it is finite; integers of quantized operators may be off by what is declared."""
    found = []
    for place, (got, want) in enumerate(zip(outputs, case.outputs, strict=True)):
        if (got.dtype, got.shape) != (want.dtype, want.shape):
            found.append(f"output {place} is {got.dtype} {got.shape}, not {want.dtype} {want.shape}")
            continue
        steps = STEPS.get(case.op_type, 0) if case.quantization is not None and want.dtype.kind in "iu" else 0
        a, b = got.astype(np.float64), want.astype(np.float64)
        close = np.isclose(a, b, rtol=case.rtol, atol=max(case.atol, steps), equal_nan=True)
        if not close.all():
            at = tuple(int(each) for each in np.argwhere(~close)[0])
            found.append(
                f"output {place}: {int((~close).sum())} of {close.size} differ, at {at} {got[at]}, not {want[at]}"
            )
    return found

"""All conformance cases as TensorFlow Lite files, run by LiteRT: those that differ are the ones that are known to.

``python -m tests.tflite_out`` runs them; with names of operators only theirs.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from lite_delegate_kernels import STRING_DTYPE, unpack_strings

from lite_delegate import Model, ModelType
from lite_delegate.backends.tflite_file.exporter import WHOLE, written
from lite_delegate.backends.tflite_file.writing import claim, has_own_form
from lite_delegate.basics.data_class import dataclass
from lite_delegate.conformance import ConformanceCase, all_cases, case_graph
from lite_delegate.conformance.judging.case_graph import variable_inputs
from lite_delegate.conformance.judging.promised import has_special_values, tamed
from lite_delegate.delegate import Kernel, Rejected
from lite_delegate.formats.ms import ms_bytes
from lite_delegate.ir import Node, Value
from lite_delegate.tensors.tensor import Tensor

Array = np.ndarray[Any, Any]
LACKING = frozenset({"CustomExtractFeatures", "CustomNormalize", "CustomPredict"})
"""Operators that are written as custom ones of LiteRT, which its package has no kernels of."""
COUNTED = frozenset({"NonZero", "Unique", "Where-1"})
"""Operators whose results are as many as are found."""
KNOWN_FILE = Path(__file__).with_name("tflite_out_known.json")
"""Cases that LiteRT gets wrong or does not run, and why, by operator and name."""
CHUNK = 40
STEPS = 1
"""The quanta that results of integers may be off: LiteRT's kernels round in other places."""

LARGEST = float(np.finfo(np.float32).max)
"""Stands for infinity in results: LiteRT's arithmetic clamps to it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a case came to.

    Attributes:
        operator: of the case.
        name: of the case.
        kind: "direct" or "lowered" where it passed, "special" where it did with finite numbers in place of NaN and
            infinities, which LiteRT's kernels promise nothing of, "written" where LiteRT's package lacks the custom
            operator, else "refused", "wrong", "fails" or "crashes".
        text: why.
        dtype: the element type of the first operand, with "q" behind it where integers stand for real numbers.
    """

    operator: str
    name: str
    kind: str
    text: str
    dtype: str

    @property
    def passed(self) -> bool:
        """Whether LiteRT gave what is expected."""
        return self.kind in ("direct", "lowered", "special", "written")


class CaseKernel(Kernel):
    """The kernel of a case, which is written and never run."""

    def execute(self) -> None:
        raise AssertionError("never run")


def kernel_of(node: Node, outputs: Sequence[Array]) -> Kernel:
    """The kernel of a case's node, with results of the shapes that are expected, or that are counted."""
    tensors: dict[Value, Tensor] = {}
    inputs = [
        None if value is None else tensors.setdefault(value, _tensor(value, value.shape)) for value in node.inputs
    ]
    is_counted = operator_of(node) in COUNTED
    results = [
        _tensor(value, (-1,) * array.ndim if is_counted else array.shape)
        for value, array in zip(node.outputs, outputs, strict=True)
    ]
    kernel = CaseKernel(node.name, node.op_type, inputs, results, node.primitive)
    kernel.quant_type = node.quant_type
    return kernel


def _given(array: Array) -> Array:
    """An input as LiteRT takes it: packed strings one by one."""
    return np.array(unpack_strings(array), object) if array.dtype == STRING_DTYPE else array


def operator_of(node: Node) -> str:
    """The operator that decides whether results are counted: Where with one operand is another one."""
    return f"{node.op_type}-{len(node.inputs)}" if node.op_type == "Where" else node.op_type


def _tensor(value: Value, shape: tuple[int, ...] | None) -> Tensor:
    return Tensor.describe(
        value.name,
        value.dtype,
        shape,
        value.format,
        data=value.data,
        is_const=value.data is not None,
        quant_params=value.quant_params,
    )


def outcome_of(case: ConformanceCase) -> Outcome:
    """Writes a case, runs it, and compares."""
    graph = case_graph(case)
    kernel = kernel_of(graph.nodes[0], case.outputs)
    first = next((x for x in case.inputs if x is not None), None)
    dtype = ("none" if first is None else first.dtype.name) + ("q" if case.quantization is not None else "")

    def outcome(kind: str, text: str = "") -> Outcome:
        return Outcome(case.op_type, case.name, kind, text, dtype)

    try:
        answer = claim(kernel, WHOLE)
    except Exception as e:
        return outcome("crashes", f"claim: {e!r}")
    if isinstance(answer, Rejected):
        return outcome("refused", answer.reason)
    inputs = [tensor for tensor in dict.fromkeys(kernel.inputs) if not tensor.is_const]
    content = written([kernel], inputs, kernel.outputs, WHOLE).content()
    if case.op_type in LACKING:
        return outcome("written")
    arrays = [_given(x) for i, x in enumerate(case.inputs) if x is not None and i not in case.constants]
    try:
        made = run(content, arrays)
    except (RuntimeError, ValueError) as e:
        return outcome("fails", str(e))
    text = difference(case, made)
    if not text:
        return outcome("direct" if has_own_form(kernel, WHOLE) else "lowered")
    if not has_special_values(case):
        return outcome("wrong", text)
    usual = tamed(case)
    again = outcome_of(replace(usual, outputs=_results(usual)))
    return outcome("special", text) if again.passed else again


def _results(case: ConformanceCase) -> tuple[Array, ...]:
    """The results of our CPU kernels."""
    graph = case_graph(case)
    model = Model()
    model.build_from_buffer(ms_bytes(graph), ModelType.MINDIR_LITE)
    inputs = model.get_inputs()
    for tensor, array in zip(inputs, variable_inputs(case).values(), strict=True):
        tensor.set_data_from_numpy(array)
    return tuple(tensor.get_data_to_numpy() for tensor in model.predict(inputs))


def run(content: bytes, arrays: Sequence[Array], *, plain: bool = False) -> list[Array]:
    """LiteRT's results.

    Args:
        content: of the file.
        arrays: its inputs, in order.
        plain: with LiteRT's reference kernels.
    """
    resolver = OpResolverType.BUILTIN_REF if plain else OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = Interpreter(model_content=content, experimental_op_resolver_type=resolver, num_threads=1)
    interpreter.allocate_tensors()
    for each, array in zip(interpreter.get_input_details(), arrays, strict=True):
        if array.dtype == object and list(each["shape"]) != [array.size]:
            interpreter.resize_tensor_input(each["index"], [array.size])
    interpreter.allocate_tensors()
    for each, array in zip(interpreter.get_input_details(), arrays, strict=True):
        with contextlib.suppress(ValueError):  # no operator reads it, so that it has no memory
            interpreter.set_tensor(each["index"], array)
    interpreter.invoke()
    return [interpreter.get_tensor(each["index"]) for each in interpreter.get_output_details()]


def difference(case: ConformanceCase, made: Sequence[Array]) -> str:
    """How results differ from what is expected, "" where they do not."""
    for place, (got, packed) in enumerate(zip(made, case.outputs, strict=True)):
        want = _given(packed)
        if want.dtype == object:
            if got.tolist() != want.tolist():
                return f"output {place} is {got.tolist()}, not {want.tolist()}"
            continue
        if got.shape != want.shape or got.dtype != want.dtype:
            return f"output {place} is {got.dtype} {got.shape}, not {want.dtype} {want.shape}"
        step = STEPS if case.quantization is not None and want.dtype.name in ("int8", "uint8") else 0
        a, b = (np.clip(x.astype(np.float64), -LARGEST, LARGEST) for x in (got, want))
        if case.op_type == "DetectionPostProcess":  # LiteRT leaves anything in the rows behind those it counts
            a, b = (x[:, : int(case.outputs[3].item())] if x.ndim > 1 else x for x in (a, b))
        far = ~np.isclose(a, b, case.rtol, max(case.atol, step), equal_nan=True)
        if far.any():
            at = np.unravel_index(int(np.argmax(far)), far.shape)
            return f"output {place} at {tuple(map(int, at))}: {got[at]}, expected {want[at]}"
    return ""


def outcomes(cases: Sequence[ConformanceCase]) -> Iterator[Outcome]:
    """The outcomes of cases, worked out in processes of their own: LiteRT's kernels may crash."""
    start = 0
    while start < len(cases):
        chunk = cases[start : start + CHUNK]
        done = yield from _in_child(chunk)
        start += done
        if done < len(chunk):
            yield Outcome(cases[start].op_type, cases[start].name, "crashes", "the process ended", "")
            start += 1


def _in_child(chunk: Sequence[ConformanceCase]) -> Generator[Outcome, None, int]:
    """Yields outcomes until the process ends; returns how many there were."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        with os.fdopen(write, "w") as out:
            for case in chunk:
                found = outcome_of(case)
                out.write(json.dumps([found.operator, found.name, found.kind, found.text, found.dtype]) + "\n")
                out.flush()
        os._exit(0)
    os.close(write)
    done = 0
    with os.fdopen(read) as lines:
        for line in lines:
            yield Outcome(*json.loads(line))
            done += 1
    os.waitpid(child, 0)
    return done


@cache
def known() -> Mapping[str, Mapping[str, str]]:
    """The reason for each case that is known to differ, by operator and name."""
    found: Mapping[str, Mapping[str, str]] = json.loads(KNOWN_FILE.read_text()) if KNOWN_FILE.exists() else {}
    return found


def main(operators: Sequence[str]) -> int:
    """Runs cases and prints what they came to; 1 where something was not expected."""
    found = list(outcomes(list(all_cases(operators))))
    unexpected = [
        each
        for each in found
        if not each.passed and each.kind != "refused" and each.name not in known().get(each.operator, {})
    ]
    for each in unexpected:
        print(f"{each.operator} {each.name}: {each.kind}: {each.text}")
    by_operator: dict[str, Counter[str]] = {}
    for each in found:
        by_operator.setdefault(each.operator, Counter())[each.kind] += 1
    for operator, counts in sorted(by_operator.items()):
        print(f"{operator}: {', '.join(f'{count} {kind}' for kind, count in sorted(counts.items()))}")
    for title, key in (("all", lambda each: "all"), ("by type", lambda each: each.dtype)):
        sums: dict[str, Counter[str]] = {}
        for each in found:
            sums.setdefault(key(each), Counter())[each.kind] += 1
        for name, counts in sorted(sums.items()):
            print(f"{title} {name}: {', '.join(f'{count} {kind}' for kind, count in sorted(counts.items()))}")
    return int(bool(unexpected))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

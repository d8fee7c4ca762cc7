"""Operators that take places or lengths, run with numbers inside and outside: ``python -m tests.backends.places``.

A worker, as runtimes that do not look read and write what is not theirs, and may end the process. It prints a line of
JSON for each mode and operator: both, and what was wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np

from lite_delegate import Delegate, LiteDelegateError
from lite_delegate.basics.data_class import dataclass
from lite_delegate.conformance.judging.case import Array, ConformanceCase
from lite_delegate.conformance.judging.case_graph import case_graph, variable_inputs
from lite_delegate.conformance.judging.chain import Chain, ChainNode, chain_graph, chain_of
from lite_delegate.conformance.runner import reference_outputs
from lite_delegate.conformance.trials.trial import build
from tests.backends.named import delegate_of

FAR = {
    "int32": (-(2**30), 2**31 - 1, -(2**31)),
    "int64": (2**31, 2**32 + 1, -(2**32), 2**63 - 1, -(2**63)),
}
"""By the places' type: numbers that are outside, with such as become small where bits are left out."""
X = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
IMAGES = np.arange(32, dtype=np.float32).reshape(2, 4, 4, 1)


@dataclass(frozen=True, slots=True)
class Taker:
    """An operator that takes places or lengths.

    Attributes:
        op: as of ``ConformanceCase``, like ``inputs``, ``attributes`` and ``constants``.
        place: of the input that holds them.
        low, high: the last of them may be these numbers, and what is between.
        dtypes: that they may have.
        left: backends that leave the operator to the CPU.
    """

    op: str
    inputs: tuple[Array, ...]
    place: int
    low: int
    high: int
    attributes: Mapping[str, Any] = field(default_factory=dict)
    constants: tuple[int, ...] = ()
    dtypes: tuple[str, ...] = ("int32", "int64")
    left: tuple[str, ...] = ()

    def case(self, dtype: str, number: int | None = None, *, is_constant: bool = False) -> ConformanceCase:
        """The node with places of a type, the last of them a number; its outputs have the right types only."""
        places = np.array(self.inputs[self.place], dtype)
        if number is not None:
            places[(-1,) * places.ndim] = number
        inputs = (*self.inputs[: self.place], places, *self.inputs[self.place + 1 :])
        out = places.dtype if self.op == "InvertPermutation" else np.dtype(np.float32)
        constants = frozenset(self.constants) | ({self.place} if is_constant else set())
        return ConformanceCase(self.op, self.op, inputs, (np.zeros(1, out),), self.attributes, constants)

    def outside(self, dtype: str) -> list[int]:
        """Numbers that the operator does not take."""
        near = self.low - 1, self.high + 1
        held = np.iinfo(dtype)
        numbers = [number for number in (*near, *FAR[dtype]) if held.min <= number <= held.max]
        return [number for number in numbers if not self.low <= number <= self.high]


def _ints(*numbers: Any) -> Array:
    return np.array(numbers)


def _recurrent(op: str, gates: int) -> Taker:
    rng = np.random.default_rng(0)
    shapes = (5, 2, 3), (1, gates * 2, 3), (1, gates * 2, 2), (1, gates * 4)
    given = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    return Taker(op, (*given, _ints(5, 3)), 4, 0, 5, {"hidden_size": 2}, (1, 2, 3), ("int32",))


AXIS, AXIS_1, COUNT = (np.array(number, np.int32) for number in (0, 1, 3))
SHAPE = np.array([3, 4], np.int32)
ONES = np.ones((1, 1, 2, 2), np.float32)
ROWS, TWO = X[:2] * 100, np.array([5, 6], np.float32)
TAKERS = {
    "Gather": Taker("Gather", (X, _ints([0, 2], [1, 1]), AXIS), 1, -3, 2, {}, (2,)),
    "Gather, scalar": Taker("Gather", (X, np.array(1), AXIS), 1, -3, 2, {}, (2,)),
    "Gather, columns": Taker("Gather", (X, _ints(0, 3), AXIS_1), 1, -4, 3, {}, (2,)),
    "GatherD": Taker("GatherD", (X, AXIS_1, _ints([0, 3], [1, 2], [2, 1])), 2, -4, 3, {}, (1,)),
    "GatherNd": Taker("GatherNd", (X, _ints([0, 3], [2, 1])), 1, -4, 3),
    "GatherNd, rows": Taker("GatherNd", (X, _ints([0], [2])), 1, -3, 2),
    "EmbeddingLookupFusion": Taker("EmbeddingLookupFusion", (X, X[:2], _ints(0, 4)), 2, 0, 4, {}, (), ("int32",)),
    "SparseSegmentSum": Taker(
        "SparseSegmentSum", (X, _ints(0, 2), _ints(0, 0).astype(np.int32)), 1, 0, 2, {}, (2,), ("int32",)
    ),
    "ScatterElements": Taker("ScatterElements", (X, _ints([0, 2, 1, 1]), ROWS[:1]), 1, -3, 2, {"axis": 0}),
    "ScatterNd": Taker("ScatterNd", (SHAPE, _ints([0], [2]), X[:2]), 1, -3, 2, {}, (0,)),
    "ScatterNdUpdate": Taker("ScatterNdUpdate", (X, _ints([0], [2]), ROWS), 1, -3, 2),
    "ScatterNdUpdate, elements": Taker("ScatterNdUpdate", (X, _ints([0, 1], [2, 3]), TWO), 1, -4, 3),
    "TensorScatterAdd": Taker("TensorScatterAdd", (X, _ints([0], [2]), ROWS), 1, -3, 2),
    "SparseToDense": Taker(
        "SparseToDense", (_ints([0, 1], [2, 3]), SHAPE, TWO, np.array(0, np.float32)), 0, 0, 3, {}, (1,)
    ),
    "InvertPermutation": Taker("InvertPermutation", (_ints(2, 0, 1),), 0, 1, 1, {}, (), ("int32",)),
    "UnsortedSegmentSum": Taker("UnsortedSegmentSum", (X, _ints(0, 2, 0), COUNT), 1, -(2**31), 2, {}, (2,), ("int32",)),
    "CropAndResize": Taker(
        "CropAndResize",
        (IMAGES, np.array([[0, 0, 1, 1], [0.1, 0.1, 0.9, 0.9]], np.float32), _ints(0, 1), _ints(2, 2).astype(np.int32)),
        *(2, 0, 1, {"method": "LINEAR"}, (3,), ("int32",), ("openvino",)),
    ),
    "ReverseSequence": Taker(
        "ReverseSequence", (X[:, :, None], _ints(4, 2, 1)), 1, 0, 4, {"seq_dim": 1, "batch_dim": 0}
    ),
    "MaxUnpool": Taker(
        "ai.onnx.MaxUnpool",
        (ONES, _ints(5, 7, 13, 15).reshape(1, 1, 2, 2)),
        *(1, 0, 15, {"kernel_shape": [2, 2], "strides": [2, 2]}, (), ("int64",)),
    ),
    "RoiAlign": Taker(
        "ai.onnx.RoiAlign",
        (IMAGES.reshape(2, 1, 4, 4), np.array([[0, 0, 3, 3], [1, 1, 2, 2]], np.float32), _ints(0, 1)),
        *(2, 0, 1, {"output_height": 2, "output_width": 2, "sampling_ratio": 2}, (), ("int64",), ("openvino",)),
    ),
    "RNN": _recurrent("ai.onnx.RNN", 1),
    "GRU": _recurrent("ai.onnx.GRU", 3),
    "LSTM": _recurrent("ai.onnx.LSTM", 4),
    **{
        f"UNSORTED_SEGMENT_{how}": Taker(
            f"tflite.UNSORTED_SEGMENT_{how}", (X, _ints(0, 2, 0), COUNT), 1, -(2**31), 2, {}, (2,), ("int32",)
        )
        for how in ("MAX", "MIN", "PROD")
    },
    **{
        f"ScatterElements, {how}": Taker(
            "ai.onnx.ScatterElements", (X, _ints([0, 2, 1, 1]), ROWS[:1]), 1, -3, 2, {"axis": 0, "reduction": how}
        )
        for how in ("none", "add", "max")
    },
    **{
        f"ScatterND, {how}": Taker(
            "ai.onnx.ScatterND", (X, _ints([0], [2]), ROWS), 1, -3, 2, {"reduction": how}, (), ("int64",)
        )
        for how in ("none", "add", "max")
    },
}
AMOUNTS: dict[str, tuple[str, tuple[Array, ...], int, Mapping[str, Any], tuple[int, ...]]] = {
    "k of TopKFusion": ("TopKFusion", (X, COUNT), 1, {"axis": -1, "sorted": True}, ()),
    "TileFusion": ("TileFusion", (X, SHAPE), 1, {}, ()),
    "limit of Range": ("Range", (AXIS, COUNT, AXIS_1), 1, {"d_type": 0}, ()),
    "step of Range": ("Range", (AXIS, COUNT, AXIS_1), 2, {"d_type": 0}, ()),
    "begin of SliceFusion": ("SliceFusion", (X, SHAPE * 0, SHAPE - 1), 1, {"axes": [0, 1]}, ()),
    "size of SliceFusion": ("SliceFusion", (X, SHAPE * 0, SHAPE - 1), 2, {"axes": [0, 1]}, ()),
    "begin of StridedSlice": ("StridedSlice", (X, SHAPE * 0, SHAPE, SHAPE * 0 + 1), 1, {}, ()),
    "end of StridedSlice": ("StridedSlice", (X, SHAPE * 0, SHAPE, SHAPE * 0 + 1), 2, {}, ()),
    "stride of StridedSlice": ("StridedSlice", (X, SHAPE * 0, SHAPE, SHAPE * 0 + 1), 3, {}, ()),
    "PadFusion": ("PadFusion", (X, np.ones((2, 2), np.int32)), 1, {"padding_mode": "CONSTANT"}, ()),
    "Resize": ("Resize", (IMAGES, SHAPE), 1, {"method": "NEAREST"}, ()),
    "sizes of Split": ("Split", (X, np.array([1, 3], np.int32)), 1, {"axis": 1, "output_num": 2}, ()),
    "Reshape": ("Reshape", (X, SHAPE), 1, {}, ()),
    "BroadcastTo": ("BroadcastTo", (X, SHAPE), 1, {}, ()),
    "Fill": ("Fill", (X[0, :1], SHAPE), 1, {}, ()),
    "ConstantOfShape": ("ConstantOfShape", (SHAPE,), 0, {"value": [1.0], "data_type": 43}, ()),
    "depth of OneHot": ("OneHot", (_ints(0, 2), COUNT, np.array([0, 1], np.float32)), 1, {"axis": -1}, (2,)),
    "shape of SparseToDense": ("SparseToDense", (_ints([0, 1]), SHAPE, X[0, :1]), 1, {}, ()),
    "segments of UnsortedSegmentSum": ("UnsortedSegmentSum", (X, _ints(0, 1, 0).astype(np.int32), COUNT), 2, {}, ()),
    "size of CropAndResize": (
        "CropAndResize",
        (IMAGES, np.array([[0, 0, 1, 1]], np.float32), _ints(1).astype(np.int32), _ints(2, 2).astype(np.int32)),
        *(3, {"method": "LINEAR"}, ()),
    ),
    "boxes of NonMaxSuppression": (
        "NonMaxSuppression",
        (np.array([[[0, 0, 1, 1]]], np.float32), np.array([[[1]]], np.float32), _ints(2)),
        *(2, {}, ()),
    ),
    "axis of Gather": ("Gather", (X, _ints(0, 2), AXIS), 2, {}, ()),
    "axis of CumSum": ("CumSum", (X, AXIS), 1, {}, ()),
    "axes of ReduceFusion": ("ReduceFusion", (X, _ints(0)), 1, {"mode": "REDUCE_SUM"}, ()),
}
"""By what they say: operator, inputs, the place of what says how many, attributes and constants."""
SAID = (-(2**31), -5, -1, 0, 1, 2, 5, 2**16)
MODES = ("given", "computed", "constant")
"""Places are an input of the model, computed from two inputs in the same subgraph, or constant."""


def chain_in(case: ConformanceCase, place: int, mode: str) -> Chain:
    """The case's node, and before it a sum of two inputs that computes its places."""
    chain, name = chain_of(case), f"input_{place}"
    if mode != "computed":
        return chain
    half = np.asarray(chain.inputs[name] // 2)
    parts = {f"{name}_a": half, f"{name}_b": np.asarray(chain.inputs[name] - half)}
    others = {other: array for other, array in chain.inputs.items() if other != name}
    adds = ChainNode("sum", "AddFusion", tuple(parts), (name,))
    return replace(chain, nodes=(adds, *chain.nodes), inputs={**others, **parts})


def wrongs(taker: Taker, backend: str, mode: str, dtype: str) -> Iterator[str]:
    """What is wrong with an operator: an answer where there is none, or another answer than the CPU's kernel has."""
    model = None
    for number in (*taker.outside(dtype), taker.low, taker.high):
        case = taker.case(dtype, number, is_constant=mode == "constant")
        chain, is_inside = chain_in(case, taker.place, mode), taker.low <= number <= taker.high
        try:
            if model is None or mode == "constant":
                model = build(chain_graph(chain, case.outputs), delegate_of(backend))
                reasons = [node.reason for node in model.get_partition().nodes if not node.subgraph]
                if reasons and mode != "constant" and backend not in taker.left:
                    yield f"{dtype}: left to the CPU: {reasons}"
            found = model.predict(dict(chain.inputs))[0].data.copy()
        except LiteDelegateError as e:
            if is_inside:
                yield f"{dtype} {number}: {e}"
            continue
        if not is_inside:
            yield f"{dtype} {number}: gives {found.ravel().tolist()}"
        elif not np.allclose(found, reference_outputs(case)[0], atol=1e-5):
            yield f"{dtype} {number}: gives {found.ravel().tolist()}, not what the CPU gives"


def _ran(case: ConformanceCase, delegate: Delegate | None) -> list[Array] | LiteDelegateError:
    try:
        model = build(case_graph(case), delegate)
        return [tensor.data.copy() for tensor in model.predict(variable_inputs(case))]
    except LiteDelegateError as e:
        return e


def differences(name: str, backend: str, *, is_constant: bool) -> Iterator[str]:
    """Where an operator with some amount gives another answer than the CPU, or elements where it has an error."""
    op, inputs, place, attributes, constants = AMOUNTS[name]
    for number in SAID:
        amounts = inputs[place].copy()
        amounts[(-1,) * amounts.ndim] = number
        given = (*inputs[:place], amounts, *inputs[place + 1 :])
        held = frozenset(constants) | ({place} if is_constant else set())
        outputs = (np.zeros(1, np.float32),) * int(attributes.get("output_num", 1))
        case = ConformanceCase(name, op, given, outputs, attributes, held)
        found, wanted = _ran(case, delegate_of(backend)), _ran(case, None)
        if isinstance(wanted, LiteDelegateError):
            if not isinstance(found, LiteDelegateError) and any(each.size for each in found):
                yield f"{number}: gives {[each.shape for each in found]}, and the CPU says {wanted}"
        elif isinstance(found, LiteDelegateError):
            yield f"{number}: {found}"
        elif any(not np.array_equal(*pair) for pair in zip(found, wanted, strict=True)):
            yield f"{number}: gives {found}, and the CPU {wanted}"


def main(backend: str) -> None:
    """Prints what is wrong with each operator, in each mode."""
    for mode in MODES:
        for name, taker in TAKERS.items():
            dtypes = [each for each in taker.dtypes if mode != "computed" or each == "int32"]
            told = [each for dtype in dtypes for each in wrongs(taker, backend, mode, dtype)]
            print(json.dumps([f"{mode} {name}", told]), flush=True)
    for name in AMOUNTS:
        for is_constant in (True, False):
            wrong = [*differences(name, backend, is_constant=is_constant)]
            print(json.dumps([f"{name}, constant: {is_constant}", wrong]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])

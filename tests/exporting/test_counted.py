"""Files whose dimensions LiteRT works out while they run, and files with text: read, written, and run by LiteRT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite")

from ai_edge_litert.interpreter import Interpreter, OpResolverType
from lite_delegate_kernels import pack_strings

from lite_delegate import GraphError
from lite_delegate.backends.litert.refusals import answer_of
from lite_delegate.backends.tflite_file.writing import claim
from lite_delegate.delegate import Kernel, Rejected
from lite_delegate.exporting import tflite_content
from lite_delegate.formats.tflite import read_tflite_buffer
from lite_delegate.ir import DataType, Graph, Node, Value, constant, make_primitive
from lite_delegate.tensors.tensor import Tensor
from tests.formats.tflite.models import G, Op, T, const, ints, litert, model_bytes, out, single

PLACES = T(np.array([3, 1, 3, 2], np.int32))
NUMBERS = T(np.arange(-2, 4, dtype=np.float32).reshape(2, 3))
IMAGE = T(np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1))
BOXES = T(np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]], np.float32))
SCORES = T(np.array([0.9, 0.8, 0.7], np.float32))
KEYS, ROWS = ints(1, 3, 5), const(np.arange(6, dtype=np.float32).reshape(3, 2))
WORDS = T(dtype="object", shape=(3,), constant=True, raw=pack_strings([b"one", b"two", b"three"]).tobytes())
SENTENCE = T(np.array([b"the quick  brown\tfox"], object), dtype="object", shape=(1,))
LIMITS = [const(np.int32(3)), const(np.float32(0.5)), const(np.float32(0.1))]
MATRIX, VECTOR, SCALAR = out("float32", (1, 1)), out("int32", (1,)), out("int32")

Case = tuple[str, list[T], list[T], str, dict[str, Any]]


def vector(*numbers: int) -> T:
    """A computed operand."""
    return T(np.array(numbers, np.int32))


def number(value: int) -> T:
    return T(np.int32(value))


CASES: dict[str, Case] = {
    "unique": ("UNIQUE", [PLACES], [VECTOR, out("int32", (4,))], "UniqueOptions", {"idxOutType": 2}),
    "range": ("RANGE", [number(9), number(3), number(-2)], [VECTOR], "RangeOptions", {}),
    "reshape": ("RESHAPE", [NUMBERS, vector(3, -1)], [MATRIX], "ReshapeOptions", {}),
    "fill": ("FILL", [vector(2, 2), T(np.float32(3))], [MATRIX], "FillOptions", {}),
    "broadcast": (
        "BROADCAST_TO",
        [T(np.ones((1, 3), np.float32)), vector(2, 3)],
        [MATRIX],
        "BroadcastToOptions",
        {"version": 2},
    ),
    "tile": ("TILE", [NUMBERS, vector(1, 2)], [MATRIX], "TileOptions", {}),
    "slice": ("SLICE", [NUMBERS, vector(0, 1), vector(2, -1)], [out("float32", (2, 2))], "SliceOptions", {}),
    "strided_slice": (
        "STRIDED_SLICE",
        [NUMBERS, vector(1, 1), vector(2, 2), ints(1, 1)],
        [out("float32", (1,))],
        "StridedSliceOptions",
        {"shrinkAxisMask": 1, "endMask": 2},
    ),
    "pad": ("PAD", [NUMBERS, T(np.array([[0, 1], [1, 0]], np.int32))], [MATRIX], "PadOptions", {}),
    "top_k": ("TOPK_V2", [NUMBERS, number(2)], [MATRIX, out("int32", (1, 1))], "TopKV2Options", {}),
    "one_hot": (
        "ONE_HOT",
        [PLACES, number(4), const(np.float32(1)), const(np.float32(0))],
        [MATRIX],
        "OneHotOptions",
        {"axis": -1},
    ),
    "scatter": ("SCATTER_ND", [const([[1], [2]], np.int32), const([5, 6], np.int32), vector(4)], [VECTOR], "", {}),
    "sparse": (
        "SPARSE_TO_DENSE",
        [ints(1, 2), vector(4), const([5, 6], np.int32), const(np.int32(0))],
        [VECTOR],
        "SparseToDenseOptions",
        {},
    ),
    "resize": (
        "RESIZE_BILINEAR",
        [IMAGE, vector(4, 3)],
        [out("float32", (1, 1, 1, 1))],
        "ResizeBilinearOptions",
        {"halfPixelCenters": True, "version": 3},
    ),
    "sum": ("SUM", [NUMBERS, vector(1)], [out("float32", (1,))], "ReducerOptions", {}),
    "transpose": ("TRANSPOSE", [NUMBERS, vector(1, 0)], [MATRIX], "TransposeOptions", {}),
    "expand_dims": ("EXPAND_DIMS", [NUMBERS, number(1)], [out("float32", (1, 1, 1))], "ExpandDimsOptions", {}),
    "space_to_batch": (
        "SPACE_TO_BATCH_ND",
        [IMAGE, vector(2, 2), const(np.zeros((2, 2), np.int32))],
        [out("float32", (1, 1, 1, 1))],
        "",
        {},
    ),
    "suppression_v4": (
        "NON_MAX_SUPPRESSION_V4",
        [BOXES, SCORES, *LIMITS],
        [out("int32", (3,)), SCALAR],
        "NonMaxSuppressionV4Options",
        {},
    ),
    "suppression_v5": (
        "NON_MAX_SUPPRESSION_V5",
        [BOXES, SCORES, number(2), *LIMITS[1:], const(np.float32(0.5))],
        [VECTOR, out("float32", (1,)), SCALAR],
        "NonMaxSuppressionV5Options",
        {},
    ),
    "table": ("HASHTABLE_LOOKUP", [vector(3, 4), KEYS, ROWS], [out("float32", (2, 2)), out("uint8", (2,))], "", {}),
    "table_of_text": ("HASHTABLE_LOOKUP", [vector(3, 4), KEYS, WORDS], [out("object"), out("uint8", (2,))], "", {}),
    "skip_gram": (
        "SKIP_GRAM",
        [SENTENCE],
        [out("object")],
        "SkipGramOptions",
        {"ngramSize": 2, "maxSkipSize": 1, "includeAllNgrams": True},
    ),
    "projection": (
        "LSH_PROJECTION",
        [const(np.random.default_rng(1).random((3, 2)).astype(np.float32)), PLACES],
        [out("int32", (6,))],
        "LSHProjectionOptions",
        {"type": 2},
    ),
    "division": ("DIV", [PLACES, ints(2, -1, 2, 1)], [out("int32", (4,))], "DivOptions", {}),
    "batch_dims": (
        "GATHER",
        [NUMBERS, T(np.array([[1], [0]], np.int32))],
        [out("float32", (2, 1))],
        "GatherOptions",
        {"axis": 1, "batchDims": 1, "version": 5},
    ),
    "broadcast_args": ("BROADCAST_ARGS", [vector(1, 3), vector(2, 1)], [out("int32", (2,))], "", {}),
    "stablehlo_pad": (
        "STABLEHLO_PAD",
        [NUMBERS, const(np.float32(1))],
        [out("float32", (4, 3))],
        "StablehloPadOptions",
        {
            "second_options": True,
            "edgePaddingLow": [1, 0],
            "edgePaddingHigh": [1, 0],
            "interiorPadding": [0, 0],
        },
    ),
    "dilate": (
        "DILATE",
        [NUMBERS, ints(2, 1), const(np.float32(0))],
        [out("float32", (3, 3))],
        "DilateOptions",
        {"second_options": True},
    ),
}


def same(old: Sequence[Any], new: Sequence[Any]) -> None:
    for before, after in zip(old, new, strict=True):
        assert (before.dtype, before.shape) == (after.dtype, after.shape)
        np.testing.assert_array_equal(before, after)


def operators(content: bytes) -> list[str]:
    kernels = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = Interpreter(model_content=content, experimental_op_resolver_type=kernels)
    return [each["op_name"] for each in interpreter._get_ops_details()]


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_written_again_as_it_was(name: str) -> None:
    op, inputs, outputs, table, options = CASES[name]
    content = single(op, inputs, outputs, table, **options)
    written = tflite_content(read_tflite_buffer(content))
    arrays = [np.asarray(x.data) for x in inputs if not x.constant]
    assert operators(written) == operators(content)
    same(litert(content, arrays, plain=False), litert(written, arrays, plain=False))


def test_what_is_found_is_picked_and_added_to() -> None:
    """WHERE, and operators behind it whose dimensions follow."""
    tensors = [
        T(np.array([[True, False, True], [False, True, False]])),
        out("int64", (1, 2)),
        T(np.zeros((2, 3), np.float32)),
        out("float32", (1,)),
        const(np.float32(2)),
        out("float32", (1,)),
    ]
    nodes = [
        Op("WHERE", [0], [1], "WhereOptions"),
        Op("GATHER_ND", [2, 1], [3], "GatherNdOptions"),
        Op("MUL", [3, 4], [5], "MulOptions"),
    ]
    content = model_bytes([G(tensors, nodes, [0, 2], [5, 1])])
    written = tflite_content(read_tflite_buffer(content))
    arrays = [tensors[0].data, np.arange(6, dtype=np.float32).reshape(2, 3)]
    same(litert(content, arrays, plain=False), litert(written, arrays, plain=False))
    (detail,) = (x for x in Interpreter(model_content=written).get_output_details() if x["dtype"] == np.float32)
    assert detail["shape_signature"].tolist() == [-1]


def test_places_that_are_found_are_columns_and_may_count_from_the_end() -> None:
    """NonZero has a column for each place; computed places of models of other formats may be negative."""
    x, places = Value("x", DataType.FLOAT32, (2, 3)), Value("places", DataType.INT32, (2,))
    found, taken = Value("found", DataType.INT32, None), Value("taken", DataType.INT32, None)
    nodes = [
        Node("n", make_primitive("NonZero"), [x], [found]),
        Node("g", make_primitive("Gather"), [found, places, constant("axis", np.array([1], np.int32))], [taken]),
    ]
    written = tflite_content(Graph("main", [x, places], [taken], nodes))
    data = np.array([[0, 1, 0], [2, 0, 3]], np.float32)
    (got,) = litert(written, [data, np.array([-1, 0], np.int32)], plain=False)
    np.testing.assert_array_equal(got, np.argwhere(data).T[:, [-1, 0]])


def test_custom_operators_keep_their_options() -> None:
    from lite_delegate.formats.tflite.importer import read_codes
    from lite_delegate.formats.tflite.reader import root_of

    content = single("Acme", [NUMBERS], [out("float32", (2, 3))], custom=True, raw_options=b"abc")
    root = root_of(memoryview(tflite_content(read_tflite_buffer(content))))
    (graph,) = root["subgraphs"]
    (operator,) = graph["operators"]
    assert read_codes(list(root["operator_codes"])) == [("CUSTOM", "Acme", 1)]
    assert operator["custom_options"].tobytes() == b"abc"


@pytest.mark.parametrize(
    ("op", "table", "reason"),
    [
        ("STABLEHLO_CBRT", "", "LiteRT's interpreter has no kernel of STABLEHLO_CBRT"),
        ("STABLEHLO_REDUCE_WINDOW", "StablehloReduceWindowOptions", "calls a subgraph of its file"),
    ],
)
def test_a_refusal_says_what_is_wrong(op: str, table: str, reason: str) -> None:
    content = single(op, [NUMBERS], [out("float32", (2, 3))], table, second_options=bool(table))
    with pytest.raises(GraphError, match=reason):
        tflite_content(read_tflite_buffer(content))


class Plain(Kernel):
    def execute(self) -> None:
        raise AssertionError("never run")


def test_runs_of_a_delegate_count_nothing() -> None:
    x = Tensor.describe("x", DataType.INT32, (4,))
    outputs = [Tensor.describe(name, DataType.INT32, (4,)) for name in ("values", "places")]
    kernel = Plain("unique", "Unique", [x], outputs, make_primitive("Unique"))
    for answer in (answer_of(kernel, "BUILTIN"), claim(kernel)):
        assert isinstance(answer, Rejected)
        assert "as many results as it finds" in answer.reason

"""Finds the element types that LiteRT's kernels take: each operator is run on small tensors of each type.

``python -m tools.tflite_types`` prints the table of ``lite_delegate.backends.tflite_file.types``.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from lite_delegate.formats.tflite.export import Quantization, TfliteTensor, TfliteWriter

TYPES = (
    *("float32", "float16", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    "bool",
)
T = "data"
"""The element type that is tried."""
I32 = "int32"
Operand = tuple[str, Any]
"""An element type, and dimensions of an input or contents of a constant."""
Try = tuple[list[Operand], str, dict[str, Any], list[Any]]


def ints(*values: int) -> Operand:
    """A constant of int32."""
    return I32, np.array(values, np.int32)


X: Operand = (T, (1, 4, 4, 4))
SAME = [(T, (1, 4, 4, 4))]
BOOLS = [("bool", (1, 4, 4, 4))]
ONE_BY_ONE = {"stride_w": 1, "stride_h": 1}
TRIES: dict[str, Try] = {
    **{
        kind: ([X], "", {}, SAME)
        for kind in [
            "ABS",
            "CEIL",
            "COS",
            "ELU",
            "EXP",
            "FLOOR",
            "HARD_SWISH",
            "LOG",
            "LOGICAL_NOT",
            "LOGISTIC",
            "LOG_SOFTMAX",
            "NEG",
            "RELU",
            "RELU6",
            "RELU_0_TO_1",
            "RELU_N1_TO_1",
            "ROUND",
            "RSQRT",
            "SIGN",
            "SIN",
            "SQRT",
            "SQUARE",
            "TANH",
            "ZEROS_LIKE",
        ]
    },
    "GELU": ([X], "GeluOptions", {}, SAME),
    "SOFTMAX": ([X], "SoftmaxOptions", {"beta": 1.0}, SAME),
    "LEAKY_RELU": ([X], "LeakyReluOptions", {"alpha": 0.5}, SAME),
    "PRELU": ([X, (T, (4,))], "", {}, SAME),
    "LOCAL_RESPONSE_NORMALIZATION": (
        [X],
        "LocalResponseNormalizationOptions",
        {"radius": 1, "bias": 1.0, "alpha": 1.0, "beta": 1.0},
        SAME,
    ),
    "L2_NORMALIZATION": ([X], "L2NormOptions", {}, SAME),
    **{
        kind: ([X, X], f"{name}Options", {}, SAME)
        for kind, name in (("ADD", "Add"), ("SUB", "Sub"), ("MUL", "Mul"), ("DIV", "Div"))
    },
    **{
        kind: ([X, X], "", {}, SAME)
        for kind in [
            "ATAN2",
            "MAXIMUM",
            "MINIMUM",
            "POW",
            "SQUARED_DIFFERENCE",
            "FLOOR_DIV",
            "FLOOR_MOD",
            "LOGICAL_AND",
            "LOGICAL_OR",
            "BITWISE_XOR",
            "RIGHT_SHIFT",
        ]
    },
    **{
        kind: ([X, X], "", {}, BOOLS)
        for kind in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
    },
    "ADD_N": ([X, X, X], "", {}, SAME),
    **{
        kind: ([X, ints(1)], "ReducerOptions", {}, [(T, (1, 4, 4))])
        for kind in ["MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ALL", "REDUCE_ANY"]
    },
    **{
        kind: ([X, ints(1)], f"{name}Options", {"output_type": 2}, [(I32, (1, 4, 4))])
        for kind, name in (("ARG_MAX", "ArgMax"), ("ARG_MIN", "ArgMin"))
    },
    "TOPK_V2": ([X, ints(2)[:1] + (np.array(2, np.int32),)], "", {}, [(T, (1, 4, 4, 2)), (I32, (1, 4, 4, 2))]),
    "CUMSUM": ([X, (I32, np.array(1, np.int32))], "CumsumOptions", {}, SAME),
    "CONV_2D": ([X, (T, (2, 1, 1, 4))], "Conv2DOptions", ONE_BY_ONE, [(T, (1, 4, 4, 2))]),
    "DEPTHWISE_CONV_2D": (
        [X, (T, (1, 1, 1, 4))],
        "DepthwiseConv2DOptions",
        {**ONE_BY_ONE, "depth_multiplier": 1},
        SAME,
    ),
    "TRANSPOSE_CONV": (
        [ints(1, 4, 4, 2), (T, (2, 1, 1, 4)), X],
        "TransposeConvOptions",
        ONE_BY_ONE,
        [(T, (1, 4, 4, 2))],
    ),
    "FULLY_CONNECTED": ([(T, (2, 4)), (T, (3, 4))], "FullyConnectedOptions", {}, [(T, (2, 3))]),
    "BATCH_MATMUL": ([(T, (2, 4)), (T, (4, 3))], "BatchMatMulOptions", {}, [(T, (2, 3))]),
    **{
        kind: ([X], "Pool2DOptions", {**ONE_BY_ONE, "filter_width": 1, "filter_height": 1}, SAME)
        for kind in ("AVERAGE_POOL_2D", "MAX_POOL_2D")
    },
    "RESIZE_BILINEAR": ([X, ints(8, 8)], "ResizeBilinearOptions", {}, [(T, (1, 8, 8, 4))]),
    "RESIZE_NEAREST_NEIGHBOR": ([X, ints(8, 8)], "ResizeNearestNeighborOptions", {}, [(T, (1, 8, 8, 4))]),
    "DEPTH_TO_SPACE": ([X], "DepthToSpaceOptions", {"block_size": 2}, [(T, (1, 8, 8, 1))]),
    "SPACE_TO_DEPTH": ([X], "SpaceToDepthOptions", {"block_size": 2}, [(T, (1, 2, 2, 16))]),
    "SPACE_TO_BATCH_ND": (
        [X, ints(2, 2), (I32, np.zeros((2, 2), np.int32))],
        "",
        {},
        [(T, (4, 2, 2, 4))],
    ),
    "BATCH_TO_SPACE_ND": (
        [(T, (4, 2, 2, 4)), ints(2, 2), (I32, np.zeros((2, 2), np.int32))],
        "",
        {},
        SAME,
    ),
    "RESHAPE": ([X, ints(64)], "", {}, [(T, (64,))]),
    "SQUEEZE": ([X], "SqueezeOptions", {}, [(T, (4, 4, 4))]),
    "EXPAND_DIMS": ([X, (I32, np.array(0, np.int32))], "", {}, [(T, (1, 1, 4, 4, 4))]),
    "TRANSPOSE": ([X, ints(0, 3, 1, 2)], "", {}, SAME),
    "CONCATENATION": ([X, X], "ConcatenationOptions", {"axis": 1}, [(T, (1, 8, 4, 4))]),
    "PACK": ([X, X], "PackOptions", {"axis": 0, "values_count": 2}, [(T, (2, 1, 4, 4, 4))]),
    "UNPACK": ([X], "UnpackOptions", {"axis": 1, "num": 4}, [(T, (1, 4, 4))] * 4),
    "SPLIT": ([(I32, np.array(1, np.int32)), X], "SplitOptions", {"num_splits": 2}, [(T, (1, 2, 4, 4))] * 2),
    "SPLIT_V": (
        [X, ints(1, 3), (I32, np.array(1, np.int32))],
        "SplitVOptions",
        {"num_splits": 2},
        [(T, (1, 1, 4, 4)), (T, (1, 3, 4, 4))],
    ),
    "SLICE": ([X, ints(0, 1, 0, 0), ints(1, 2, 4, 4)], "", {}, [(T, (1, 2, 4, 4))]),
    "STRIDED_SLICE": (
        [X, ints(0, 0, 0, 0), ints(1, 4, 4, 4), ints(1, 2, 1, 1)],
        "StridedSliceOptions",
        {},
        [(T, (1, 2, 4, 4))],
    ),
    "TILE": ([X, ints(1, 2, 1, 1)], "", {}, [(T, (1, 8, 4, 4))]),
    "BROADCAST_TO": ([X, ints(2, 4, 4, 4)], "", {}, [(T, (2, 4, 4, 4))]),
    "PAD": ([X, (I32, np.ones((4, 2), np.int32))], "", {}, [(T, (3, 6, 6, 6))]),
    "PADV2": ([X, (I32, np.ones((4, 2), np.int32)), (T, ())], "", {}, [(T, (3, 6, 6, 6))]),
    "MIRROR_PAD": (
        [X, (I32, np.array([[0, 0], [1, 1], [0, 0], [0, 0]], np.int32))],
        "MirrorPadOptions",
        {},
        [(T, (1, 6, 4, 4))],
    ),
    "REVERSE_V2": ([X, ints(1)], "", {}, SAME),
    "REVERSE_SEQUENCE": ([X, ints(2)], "ReverseSequenceOptions", {"seq_dim": 1, "batch_dim": 0}, SAME),
    "GATHER": ([X, ints(0, 2)], "GatherOptions", {"axis": 1}, [(T, (1, 2, 4, 4))]),
    "GATHER_ND": ([X, (I32, np.array([[0, 1]], np.int32))], "", {}, [(T, (1, 4, 4))]),
    "SCATTER_ND": ([(I32, np.array([[0], [2]], np.int32)), (T, (2, 3)), ints(4, 3)], "", {}, [(T, (4, 3))]),
    "SELECT_V2": ([("bool", (1, 4, 4, 4)), X, X], "", {}, SAME),
    "ONE_HOT": (
        [ints(0, 1), (I32, np.array(3, np.int32)), (T, ()), (T, ())],
        "OneHotOptions",
        {"axis": -1},
        [(T, (2, 3))],
    ),
    "FILL": ([ints(2, 3), (T, ())], "", {}, [(T, (2, 3))]),
    "RANGE": ([(T, np.array(0)), (T, np.array(4)), (T, np.array(1))], "", {}, [(T, (4,))]),
    "SPARSE_TO_DENSE": ([ints(1, 2), ints(4), (T, (2,)), (T, ())], "SparseToDenseOptions", {}, [(T, (4,))]),
    **{
        f"UNSORTED_SEGMENT_{name}": ([(T, (3, 2)), ints(0, 1, 0), (I32, np.array(2, np.int32))], "", {}, [(T, (2, 2))])
        for name in ("MAX", "MIN", "PROD", "SUM")
    },
    "DYNAMIC_UPDATE_SLICE": ([X, (T, (1, 1, 1, 1)), ints(0, 0, 0, 0)], "", {}, SAME),
    "WHERE": ([X], "", {}, [("int64", (64, 4))]),
    "CAST": ([X], "", {}, [("float32", (1, 4, 4, 4))]),
}


def taken(kind: str, quantized: bool) -> list[str]:
    """The element types that an operator runs on."""
    return [dtype for dtype in TYPES if survives(kind, dtype, quantized)]


def survives(kind: str, dtype: str, quantized: bool) -> bool:
    """As ``runs``, in a process of its own: kernels may crash on types that they do not expect."""
    child = os.fork()
    if child == 0:
        os._exit(not runs(kind, dtype, quantized))
    return os.waitpid(child, 0)[1] == 0


def runs(kind: str, dtype: str, quantized: bool) -> bool:
    """Whether LiteRT's own kernel runs an operator on a type."""
    if quantized and dtype not in ("int8", "uint8", "int16"):
        return False
    operands, table, options, results = TRIES[kind]
    writer = TfliteWriter()
    graph = writer.graph("try")
    points = {"int8": 0, "uint8": 128, "int16": 0}
    meaning = Quantization((1 / 128,), (points[dtype],)) if quantized else None

    def made(name: str, operand: Operand) -> TfliteTensor:
        kind_of, what = operand
        q = meaning if kind_of == T else None
        if isinstance(what, np.ndarray):
            array = what.astype(dtype) if kind_of == T else what
            return graph.tensor(name, array.dtype.name, array.shape, q, array)
        return graph.tensor(name, dtype if kind_of == T else kind_of, what, q)

    inputs = [made(f"x{i}", each) for i, each in enumerate(operands)]
    outputs = [made(f"y{i}", each) for i, each in enumerate(results)]
    graph.inputs, graph.outputs = [x for x in inputs if x.data is None], outputs
    graph.operator(kind, inputs, outputs, table, options)
    try:
        interpreter = Interpreter(
            model_content=writer.finish().content(),
            experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
        )
        interpreter.allocate_tensors()
        for each in interpreter.get_input_details():
            interpreter.set_tensor(each["index"], np.ones(each["shape"], each["dtype"]))
        interpreter.invoke()
    except (RuntimeError, ValueError):
        return False
    return True


def main() -> int:
    """Prints the table."""
    for quantized in (False, True):
        groups: dict[str, list[str]] = {}
        for kind in TRIES:
            groups.setdefault(" ".join(taken(kind, quantized)), []).append(kind)
        print("QUANTIZED" if quantized else "PLAIN")
        for types, kinds in groups.items():
            print(f"{types!r}: {' '.join(sorted(kinds))!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

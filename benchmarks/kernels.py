"""The kernels that the CPU runs against ONNX Runtime, one thread each: how many times as long ours take.

Both run in turns within one process, several times a turn; a round gives one ratio, and the table shows the median of
the rounds. ONNX Runtime gets NCHW images and its weights as constants, as it runs best; ours get NHWC. What both
compute is compared first.

Run: python benchmarks/kernels.py [NAME ...]      (only the rows whose name contains one of the words)
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import onnx
import onnxruntime
from lite_delegate_fast import fast_kernels
from lite_delegate_kernels import ALL_KERNELS, Array, KernelRegistry, spec_of
from onnx import helper
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from benchmarks.guarded import Failures
from lite_delegate.ir import make_primitive

ROUNDS = 21
TURN_SECONDS = 0.03
OPSET = 20

REGISTRY = KernelRegistry(ALL_KERNELS)
NUMBERS = np.random.default_rng(0)


@dataclass(frozen=True)
class Row:
    """One comparison.

    Attributes:
        name: operator and sizes.
        target: the ratio that is wanted.
        op_type: our operator.
        inputs: our inputs; the first is data, the others may be constants.
        attributes: our attributes.
        onnx_type: ONNX's operator.
        onnx_attributes: its attributes.
        image: whether the data are images and the second input is a kernel: ONNX Runtime gets both as NCHW.
        data: how many of the inputs are data; the others are constants of ONNX Runtime's model.
        constants: what ONNX takes in place of our constants, None when it is the same.
    """

    name: str
    target: float
    op_type: str
    inputs: Sequence[Array]
    attributes: Mapping[str, Any]
    onnx_type: str
    onnx_attributes: Mapping[str, Any] = field(default_factory=dict)
    image: bool = False
    data: int = 1
    constants: Sequence[Array] | None = None


def normal(*shape: int) -> Array:
    """Normally distributed float32."""
    return NUMBERS.standard_normal(shape, dtype=np.float32)


def convolution(
    name: str, target: float, size: int, cin: int, cout: int, kernel: int, stride: int = 1, group: int = 1
) -> Row:
    """A convolution with bias, padded so that the output is as large as the input divided by the stride."""
    inputs = normal(1, size, size, cin), normal(cout, kernel, kernel, cin // group), normal(cout)
    pads = (kernel // 2,) * 4
    ours = {"group": group, "stride": (stride, stride), "pad_list": pads}
    theirs = {"group": group, "strides": (stride, stride), "pads": pads}
    return Row(name, target, "Conv2DFusion", inputs, ours, "Conv", theirs, image=True)


def convolutions() -> list[Row]:
    """Layers of ResNet (56x56) and MobileNet (112x112)."""
    return [
        convolution("Conv2D 3x3, 56x56x64 -> 64", 2.0, 56, 64, 64, 3),
        convolution("Conv2D 3x3 stride 2, 56x56x64 -> 128", 2.0, 56, 64, 128, 3, stride=2),
        convolution("Conv2D 1x1, 56x56x64 -> 256", 1.3, 56, 64, 256, 1),
        convolution("depthwise 3x3, 112x112x96", 4.0, 112, 96, 96, 3, group=96),
        convolution("depthwise 3x3 stride 2, 112x112x96", 4.0, 112, 96, 96, 3, stride=2, group=96),
    ]


def images() -> list[Row]:
    """The other operators on images, at the size of ResNet's first stage."""
    x = [normal(1, 56, 56, 64)]
    pool = {"kernel_size": (3, 3), "strides": (2, 2), "pad": (1, 1, 1, 1)}
    onnx_pool = {"kernel_shape": (3, 3), "strides": (2, 2), "pads": (1, 1, 1, 1)}
    resize = {"new_height": 112, "new_width": 112, "coordinate_transform_mode": "HALF_PIXEL"}
    scales = [np.empty(0, np.float32), np.array([1, 1, 2, 2], np.float32)]
    linear = {"mode": "linear"}
    return [
        Row("MaxPool 3x3 stride 2, 56x56x64", 4.0, "MaxPoolFusion", x, pool, "MaxPool", onnx_pool, image=True),
        Row("AvgPool 3x3 stride 2, 56x56x64", 4.0, "AvgPoolFusion", x, pool, "AveragePool", onnx_pool, image=True),
        Row("Resize linear, 56x56x64 -> 112x112", 4.0, "Resize", x, resize, "Resize", linear, True, constants=scales),
    ]


def transformer() -> list[Row]:
    """Layers of BERT base over 128 tokens: 768 features, 12 heads, 3072 features inside."""
    square = normal(512, 512), normal(512, 512)
    scores, tokens, gamma, wide = normal(12, 128, 128), normal(128, 768), normal(768), normal(128, 3072)
    affine = {"begin_norm_axis": 1, "begin_params_axis": 1}
    heads, perm = normal(1, 128, 12, 64), (0, 2, 1, 3)
    turned = {"perm": perm}
    return [
        Row("MatMul 512x512x512", 1.2, "MatMulFusion", square, {}, "MatMul"),
        Row("Softmax 12x128x128", 4.0, "Softmax", [scores], {"axis": (2,)}, "Softmax"),
        Row("LayerNorm 128x768", 4.0, "LayerNormFusion", [tokens, gamma, gamma], affine, "LayerNormalization"),
        Row("Add 128x768", 4.0, "AddFusion", [tokens, normal(128, 768)], {}, "Add", data=2),
        Row("Add 56x56x64", 4.0, "AddFusion", [normal(56, 56, 64), normal(56, 56, 64)], {}, "Add", data=2),
        Row("Relu 128x3072", 4.0, "Activation", [wide], {"activation_type": "RELU"}, "Relu"),
        Row("Sigmoid 128x3072", 4.0, "Activation", [wide], {"activation_type": "SIGMOID"}, "Sigmoid"),
        Row("GELU 128x3072", 4.0, "Activation", [wide], {"activation_type": "GELU"}, "Gelu"),
        Row("ReduceMean 128x768", 4.0, "ReduceFusion", [tokens, np.array([1])], {"keep_dims": True}, "ReduceMean"),
        Row("Transpose 1x128x12x64", 4.0, "Transpose", [heads, np.array(perm)], {}, "Transpose", turned, constants=[]),
    ]


def to_nchw(x: Array) -> Array:
    """Images, or a kernel (K, H, W, C); vectors stay."""
    return np.ascontiguousarray(x.transpose(0, 3, 1, 2)) if x.ndim == 4 else x


def our_call(row: Row) -> tuple[Callable[[], Array], str]:
    """Our kernel, whose result is an array of its own (Transpose alone gives a view), and its kind."""
    reference = REGISTRY.find(row.op_type)
    assert reference is not None
    inputs, attributes = row.inputs, row.attributes
    every = {**make_primitive(row.op_type).attributes(), **attributes}
    fast = fast_kernels().find(reference, [spec_of(x) for x in inputs], every)
    run, kind = (reference.run, "reference kernel") if fast is None else (fast.run, "fast kernel")
    if row.op_type == "Transpose":
        return lambda: np.ascontiguousarray(run(*inputs, **attributes)), kind

    def call() -> Array:
        y = run(*inputs, **attributes)
        assert isinstance(y, np.ndarray)
        return y

    return call, kind


def onnx_call(row: Row) -> Callable[[], Array]:
    """ONNX Runtime's session for a model of one node."""
    given = [to_nchw(x) if row.image else x for x in row.inputs]
    arrays = given if row.constants is None else [*given[: row.data], *row.constants]
    names = [f"x{i}" for i in range(len(arrays))]
    node = helper.make_node(row.onnx_type, names, ["y"], **row.onnx_attributes)
    data = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in zip(names[: row.data], arrays, strict=False)
    ]
    weights = [onnx.numpy_helper.from_array(x, name) for name, x in zip(names, arrays, strict=True)][row.data :]
    output = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "one", data, [output], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feeds = dict(zip(names[: row.data], arrays, strict=False))

    def call() -> Array:
        y: Array = session.run(None, feeds)[0]
        return y

    return call


def check(row: Row, ours: Array, theirs: Array) -> None:
    """Raises AssertionError where the two compute different things."""
    expected = theirs.transpose(0, 2, 3, 1) if row.image else theirs
    np.testing.assert_allclose(ours, expected, rtol=2e-3, atol=2e-4, err_msg=row.name)


def seconds(call: Callable[[], object], repeats: int) -> float:
    """The mean time of a call within one turn."""
    started = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - started) / repeats


def compare(row: Row) -> list[object]:
    """Name, precision, threads, microseconds of each, median ratio, target, whether it was met, our kind of kernel."""
    (ours, kind), theirs = our_call(row), onnx_call(row)
    check(row, ours(), theirs())
    repeats = [max(1, int(TURN_SECONDS / max(seconds(call, 3), 1e-7))) for call in (ours, theirs)]
    rounds = [(seconds(ours, repeats[0]), seconds(theirs, repeats[1])) for _ in range(ROUNDS)]
    ratio = statistics.median(a / b for a, b in rounds)
    mine, other = (statistics.median(times) * 1e6 for times in zip(*rounds, strict=True))
    is_met, precision = ratio <= row.target, str(row.inputs[0].dtype)
    return [row.name, precision, 1, mine, other, ratio, row.target, "yes" if is_met else "NO", f"CPU, {kind}"]


def main(words: Sequence[str]) -> None:
    """Prints the table."""
    rows = [
        row for row in convolutions() + images() + transformer() if not words or any(word in row.name for word in words)
    ]
    headers = ("kernel", "precision", "threads", "ours, us", "ONNX Runtime, us", "ratio", "target", "met", "ran on")
    failures, lines = Failures(), []
    with threadpool_limits(1):
        for row in rows:
            lines += failures.row([row.name], partial(compare, row))
    print(tabulate(lines, headers, floatfmt=("", "", "", ".1f", ".1f", ".2f", ".1f", "", "")))
    failures.exit()


if __name__ == "__main__":
    main(sys.argv[1:])

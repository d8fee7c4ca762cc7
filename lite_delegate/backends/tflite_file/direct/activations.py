"""Activations, and functions along an axis."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import Quantization
from ....ir.types.enums import ActivationType
from ....semantics.operands import normalized
from ..node import FUSED, DirectNode
from ..table import Direct

KINDS = {
    ActivationType.RELU: "RELU",
    ActivationType.RELU6: "RELU6",
    ActivationType.RELU1: "RELU_N1_TO_1",
    ActivationType.TANH: "TANH",
    ActivationType.SIGMOID: "LOGISTIC",
    ActivationType.HSWISH: "HARD_SWISH",
    ActivationType.SIGN: "SIGN",
}
"""Builtin operators without options."""
MEANINGS = {
    "LOGISTIC": {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)},
    "TANH": {"int8": (1 / 128, 0), "uint8": (1 / 128, 128), "int16": (1 / 32768, 0)},
    "SOFTMAX": {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)},
    "LOG_SOFTMAX": {"int8": (16 / 256, 127), "uint8": (16 / 256, 255)},
    "L2_NORMALIZATION": {"int8": (1 / 128, 0), "uint8": (1 / 128, 128)},
}
"""The quantization parameters that results of operators have, by element type."""


def check_meaning(node: DirectNode, kind: str) -> None:
    """Leaves integers to the other form whose results have other parameters than LiteRT's kernel gives.

    Raises:
        NotLowered: they have.
    """
    if node.is_quantized:
        given = node.y_quantization
        scale, point = MEANINGS[kind].get(node.x().dtype, (0.0, 0))
        fits = (
            given is not None and given.zero_points == (point,) and math.isclose(given.scales[0], scale, rel_tol=1e-6)
        )
        node.wanted(fits, RejectCode.DTYPE, f"results of {kind} have LiteRT's own scale", f"{given}")


def activation(node: DirectNode) -> None:
    """The builtin operator of the activation."""
    found, x = node.attribute("activation_type"), node.x()
    real = x.dtype == "float32" or x.quantization is not None
    if found == ActivationType.GELU:
        node.wanted(real, RejectCode.DTYPE, "GELU takes real numbers")
        node.write("GELU", [x], "GeluOptions", approximate=bool(node.attribute("approximate")))
        return
    if found == ActivationType.LEAKY_RELU:
        node.write("LEAKY_RELU", [x], "LeakyReluOptions", alpha=float(node.attribute("alpha")))
        return
    if found == ActivationType.ELU:
        elu(node)
        return
    if found == ActivationType.HSIGMOID:
        hard_sigmoid(node)
        return
    kind = KINDS.get(found)
    node.wanted(kind is not None and real, RejectCode.ATTRIBUTE, "a builtin activation", f"is {found.name}")
    assert kind is not None
    if kind in MEANINGS:
        check_meaning(node, kind)
    node.write(kind, [x])


def hard_sigmoid(node: DirectNode) -> None:
    """A sum bounded by 0 and 6, and a product with a sixth: the sum's scale is 6 times the result's, so one rounds."""
    x, meaning = node.x(), node.y_quantization
    node.wanted(x.dtype in ("int8", "uint8"), RejectCode.DTYPE, "a sum and a product on integers", f"is {x.dtype}")
    node.wanted(node.is_quantized and meaning is not None, RejectCode.DTYPE, "integers have scales")
    assert meaning is not None
    most = int(np.iinfo(x.dtype).max)
    three, sixth = (
        node.builtins.constant(
            np.full((1,) * min(x.rank, 1), integer, x.dtype), Quantization((real / integer,), (0,), 0)
        )
        for integer, real in ((most, 3.0), (1, 1 / 6))
    )
    bounded = node.builtins.tensor(x.dtype, x.shape, Quantization((6 * meaning.scales[0],), meaning.zero_points, 0))
    node.builtins.into(
        "ADD", [x, three], [bounded], "AddOptions", fused_activation_function=FUSED[ActivationType.RELU6]
    )
    node.write("MUL", [bounded, sixth], "MulOptions")


def elu(node: DirectNode) -> None:
    """ELU of an alpha of 1."""
    alpha = node.attribute("alpha")
    node.wanted(alpha == 1.0, RejectCode.ATTRIBUTE, "ELU has an alpha of 1", f"is {alpha}")
    node.write("ELU", [node.x()])


def leaky_relu(node: DirectNode) -> None:
    """LEAKY_RELU."""
    node.write("LEAKY_RELU", [node.x()], "LeakyReluOptions", alpha=float(node.attribute("negative_slope")))


def prelu(node: DirectNode) -> None:
    """PRELU, whose slopes have a dimension for each but the first of the input."""
    x, slope = node.x(), node.x(1)
    count = math.prod(slope.shape)
    node.wanted(x.rank > 1 and count in (1, x.shape[-1]), RejectCode.SHAPE, "slopes of channels", f"{slope.shape}")
    wanted = (*(1,) * (x.rank - 2), count)
    folded = slope if slope.rank == x.rank - 1 else node.reshaped_constant(slope, wanted)
    node.write("PRELU", [x, folded])


def softmax(node: DirectNode) -> None:
    """SOFTMAX along the last dimension."""
    axes = node.attribute("axis") or (-1,)
    x = node.x()
    last = len(axes) == 1 and x.rank > 0 and normalized(axes[0], x.rank) == x.rank - 1
    node.wanted(last and x.rank <= 4, RejectCode.ATTRIBUTE, "SOFTMAX goes along the last dimension", f"{axes}")
    check_meaning(node, "SOFTMAX")
    node.write("SOFTMAX", [x], "SoftmaxOptions", beta=1.0)


def log_softmax(node: DirectNode) -> None:
    """LOG_SOFTMAX along the last dimension."""
    axis, x = node.attribute("axis"), node.x()
    last = x.rank > 0 and normalized(axis, x.rank) == x.rank - 1
    node.wanted(last and x.rank <= 4, RejectCode.ATTRIBUTE, "LOG_SOFTMAX goes along the last dimension", f"{axis}")
    check_meaning(node, "LOG_SOFTMAX")
    node.write("LOG_SOFTMAX", [x], "LogSoftmaxOptions")


WRITERS: dict[str, Direct] = {
    "Activation": activation,
    "Elu": elu,
    "LeakyRelu": leaky_relu,
    "PReLUFusion": prelu,
    "Softmax": softmax,
    "LogSoftmax": log_softmax,
}
"""Writers of this file by our names of operators."""

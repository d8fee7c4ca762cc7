"""Quantization of ONNX: QuantDTypeCast where both round alike, else the arithmetic itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from lite_delegate_kernels.custom.narrow import E2M1, INTEGERS, limits

from ...basics.data_class import dataclass
from ...ir import Node, QuantParam, Value, from_numpy, make_primitive
from ...ir.traits import REARRANGING
from ..rejection import Why
from .builder import UNKNOWN, ArraySpec
from .conversion import OnnxNode
from .protobuf.types import Dtype, type_id

_STORED = ("int8", "uint8")
_SAID = (*_STORED, "int32")
_TARGETS = (*_STORED, "int16", "uint16")
_CAST_FLOATS = ("float32", "float16")


@dataclass(frozen=True)
class Scaling:
    """Integers for real numbers: ``real = (q - zero_point) * scale``.

    Attributes:
        scale: one number, one per index along ``axis``, or one per block of them.
        zero_point: as many; None: zeros.
        axis: which dimension has several scales.
        block: how many indices along ``axis`` share a scale; 0: there are no blocks.
    """

    scale: Value
    zero_point: Value | None
    axis: int = 0
    block: int = 0

    def parameters(self, node: OnnxNode) -> tuple[QuantParam, ...]:
        """As files hold them; none where they are not known, or are no plain positive numbers in a row."""
        scales = node.known(self.scale)
        points = np.zeros_like(scales, np.int64) if self.zero_point is None else node.known(self.zero_point)
        if scales is None or points is None or self.block or scales.ndim > 1 or scales.size != points.size:
            return ()
        if scales.size == 0 or not (np.isfinite(scales).all() and (scales > 0).all()):
            return ()
        pairs = zip(scales.reshape(-1).tolist(), points.reshape(-1).tolist(), strict=True)
        return tuple(QuantParam(scale=s, zero_point=int(z), inited=True) for s, z in pairs)


def dequantized(node: OnnxNode, x: Value, scaling: Scaling, dtype: Dtype) -> Value:
    """The real numbers that integers stand for, in ``dtype``."""
    parameters = scaling.parameters(node)
    if (
        parameters
        and node.dtype(x).name in _SAID
        and dtype.name in _CAST_FLOATS
        and _fits(node, x, scaling, parameters)
    ):
        source = _with_parameters(node, x, parameters)
        return _cast(node, source, Value(f"{node.name}/real", from_numpy(dtype), source.shape), dtype, scaling.axis)
    scale, zero_point = _shaped(node, scaling.scale, x, scaling), scaling.zero_point
    steps = node.cast(x, node.dtype(scale))
    if zero_point is not None:
        steps = node.emit("SubFusion", steps, node.cast(_shaped(node, zero_point, x, scaling), node.dtype(scale)))
    return node.cast(node.emit("MulFusion", steps, scale), dtype)


def quantized(node: OnnxNode, x: Value, scaling: Scaling, dtype: Dtype) -> Value:
    """Real numbers as integers of ``dtype``.

    NOTE: QuantDTypeCast rounds a number halfway between two integers away from zero, ONNX to the even integer.
    """
    node.reject_unless(dtype.name in _TARGETS, Why.DTYPE, f"target {dtype.name}, expected {', '.join(_TARGETS)}")
    parameters = scaling.parameters(node)
    real = node.dtype(x).name in _CAST_FLOATS
    if parameters and real and dtype.name in _STORED and _fits(node, x, scaling, parameters):
        made = Value(f"{node.name}/integers", from_numpy(dtype), node.spec(x).shape, quant_params=parameters)
        return _cast(node, x, made, dtype, scaling.axis)
    scale = _shaped(node, scaling.scale, x, scaling)
    y = node.emit("Round", node.emit("DivFusion", node.cast(x, node.dtype(scale)), scale))
    if scaling.zero_point is not None:
        zero_point = _shaped(node, scaling.zero_point, x, scaling)
        y = node.emit("AddFusion", y, node.cast(zero_point, node.dtype(scale)))
    limits = np.iinfo(dtype)
    return node.cast(node.emit("Clip", y, min=float(limits.min), max=float(limits.max)), dtype)


def narrowly_quantized(node: OnnxNode, x: Value, scaling: Scaling, elem_type: int) -> Value:
    """Real numbers as numbers of a narrow ONNX element type, in the wider type that holds them."""
    scale = _shaped(node, scaling.scale, x, scaling)
    y = node.emit("DivFusion", x, scale)
    if elem_type not in INTEGERS:
        return node.narrowed(y, elem_type, **({} if elem_type == E2M1 else {"saturate": node.get("saturate", 1)}))
    y = node.emit("Round", y)
    if scaling.zero_point is not None:
        zero_point = _shaped(node, scaling.zero_point, x, scaling)
        y = node.emit("AddFusion", y, node.cast(zero_point, node.dtype(y)))
    low, high = limits(elem_type)
    return node.narrowed(node.emit("Clip", y, min=float(low), max=float(high)), elem_type)


def on_real_numbers(node: OnnxNode, x: Value, compute: Callable[[Value], Value]) -> Value:
    """The results of ``compute`` on the dequantized ``x``, quantized as ``x`` is.

    It fits what gives some of its operands unchanged. Operators between such casts can run on integers.
    """
    (parameters,) = x.quant_params
    single = np.dtype(np.float32)
    scale = node.builder.small_constant(np.array(parameters.scale, np.float32))
    scaling = Scaling(scale, node.builder.small_constant(np.array(parameters.zero_point, np.int64)))
    return quantized(node, compute(dequantized(node, x, scaling, single)), scaling, node.dtype(x))


def bias_scale(node: OnnxNode, x: Scaling, weight: Scaling) -> Value:
    """The scale of a bias: the product of the scales of input and weight, as of the sums that it is added to."""
    known = node.known(x.scale), node.known(weight.scale)
    if known[0] is not None and known[1] is not None:
        return node.constant((known[0].reshape(-1) * known[1].reshape(-1)).astype(np.float32), "bias_scale")
    return node.emit("MulFusion", node.reshape(x.scale, [1]), node.reshape(weight.scale, [-1]))


def _cast(node: OnnxNode, x: Value, y: Value, dtype: Dtype, axis: int) -> Value:
    """Adds a QuantDTypeCast."""
    rank = len(node.spec(x).shape or ())
    primitive = make_primitive(
        "QuantDTypeCast", src_t=type_id(node.dtype(x)), dst_t=type_id(dtype), axis=axis % rank if rank else 0
    )
    node.builder.add_node(Node(y.name, primitive, [x], [y]), [ArraySpec(dtype, node.spec(x).shape)])
    return y


def _with_parameters(node: OnnxNode, x: Value, parameters: tuple[QuantParam, ...]) -> Value:
    """The integers with what they stand for: themselves where nothing else was said of them yet."""
    if x.quant_params == parameters:
        return x
    if x.is_constant:
        return replace(x, quant_params=parameters)
    if not x.quant_params:
        _say(node, x, parameters)
        return x
    copy = Value(f"{node.name}/same", x.dtype, x.shape, quant_params=parameters)
    node.builder.add_node(Node(copy.name, make_primitive("Depend"), [x], [copy]), [node.spec(x)])
    return copy


def _say(node: OnnxNode, x: Value, parameters: tuple[QuantParam, ...]) -> None:
    """Gives the integers their parameters, and so what they were moved from, if it has none yet."""
    x.quant_params = parameters
    current: Value | None = x
    for made in reversed(node.builder.nodes) if len(parameters) == 1 else ():
        if current not in made.outputs:
            continue
        current = made.inputs[0] if made.op_type in REARRANGING else None
        if current is None or current.quant_params or current.is_constant:
            return
        current.quant_params = parameters


def _fits(node: OnnxNode, x: Value, scaling: Scaling, parameters: Sequence[QuantParam]) -> bool:
    """True where there is one scale, or one for each index along the axis."""
    if len(parameters) == 1:
        return True
    shape = node.spec(x).shape
    return shape is not None and -len(shape) <= scaling.axis < len(shape) and shape[scaling.axis] == len(parameters)


def _shaped(node: OnnxNode, parameter: Value, x: Value, scaling: Scaling) -> Value:
    """A scale or zero point in a shape that broadcasts with ``x``."""
    dims = node.shape(parameter)
    if scaling.block:
        return _per_element(node, parameter, x, scaling)
    if int(np.prod(dims)) == 1:
        return node.reshape(parameter, [1] * max(1, len(node.spec(x).shape or ()))) if dims else parameter
    rank = node.rank(x)
    axis = node.axis(scaling.axis, rank)
    node.reject_unless(len(dims) == 1, Why.ATTRIBUTE, f"scales must be one or in a row, found shape {list(dims)}")
    return node.reshape(parameter, [-1 if i == axis else 1 for i in range(rank)])


def _per_element(node: OnnxNode, parameter: Value, x: Value, scaling: Scaling) -> Value:
    """A parameter per block, repeated for each element of its block; the last block may be smaller."""
    dims, wanted = node.shape(parameter), node.shape(x)
    axis = node.axis(scaling.axis, len(wanted))
    blocks = -(-wanted[axis] // scaling.block)
    expected = tuple(blocks if i == axis else d for i, d in enumerate(wanted))
    node.reject_unless(
        dims == expected and UNKNOWN not in dims,
        Why.SHAPE,
        f"scales of blocks of {scaling.block} must be {list(expected)}, found {list(dims)}",
    )
    node.check_table(wanted[axis])
    places = node.longs([i // scaling.block for i in range(wanted[axis])])
    repeated: Any = node.emit("Gather", parameter, places, node.builder.small_constant(np.array(axis, np.int32)))
    assert isinstance(repeated, Value)
    return repeated

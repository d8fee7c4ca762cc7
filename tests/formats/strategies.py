"""Random primitives, values and graphs that a ``.ms`` file can hold."""

from __future__ import annotations

from dataclasses import fields
from enum import IntEnum
from typing import Any

import numpy as np
from hypothesis import strategies as st

from lite_delegate.ir import (
    DataType,
    Format,
    Graph,
    ModelInfo,
    Node,
    PackedWeights,
    Primitive,
    QuantParam,
    Value,
    to_numpy,
)
from lite_delegate.ir.primitive import Attribute
from lite_delegate.ir.primitives import PRIMITIVE_CLASSES
from lite_delegate.ir.types.enums import QuantType, WeightQuantCompressType

NARROW = {("TensorArray", "data_type"), ("AllGather", "rank_size"), ("ReduceScatter", "rank_size")} | {
    ("TensorArray", "element_shape"),
    ("DynamicQuant", "prefer_axes"),
}
"""Attributes that the schema stores in 32 bits; all other whole numbers have 64."""

FORMATS = st.sampled_from([f for f in Format if f not in (Format.DEFAULT, Format.NDHWC)])
TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
SINGLES = st.floats(width=32)
QUANT_TYPES = st.sampled_from([QuantType.QUANT_NONE, *list(QuantType)[4:]])
ELEMENTS = [t for t in DataType if DataType.BOOL <= t <= DataType.FLOAT64]


def _whole(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _attribute(op_type: str, name: str, type_name: str, default: Any) -> st.SearchStrategy[Any]:
    if isinstance(default, Format):
        return FORMATS
    if isinstance(default, IntEnum):
        return st.sampled_from(list(type(default)))
    whole = _whole(32 if (op_type, name) in NARROW else 64)
    wholes = st.lists(whole, max_size=4).map(tuple)
    blobs = st.builds(Attribute, st.none() | TEXTS, st.none() | st.binary(max_size=5))
    return {
        "bool": st.booleans(),
        "int": whole,
        "float": SINGLES,
        "str | None": st.none() | TEXTS,
        "tuple[int, ...] | None": st.none() | wholes,
        "tuple[float, ...] | None": st.none() | st.lists(SINGLES, max_size=4).map(tuple),
        "tuple[tuple[int, ...], ...] | None": st.none() | st.lists(wholes, max_size=4).map(tuple),
        "tuple[Attribute, ...] | None": st.none() | st.lists(blobs, max_size=3).map(tuple),
    }[type_name]


@st.composite
def primitives(draw: st.DrawFn, op_type: str) -> Primitive:
    """A primitive of one operator type with random attributes."""
    cls = PRIMITIVE_CLASSES[op_type]
    drawn = {f.name: draw(_attribute(op_type, f.name, str(f.type), f.default)) for f in fields(cls)}
    return cls(**drawn)


QUANT_PARAMS = st.builds(
    QuantParam,
    scale=st.floats(),
    zero_point=_whole(32),
    min=st.floats(),
    max=st.floats(),
    narrow_range=st.booleans(),
    num_bits=st.sampled_from([0, 8, 16, 32]),
    inited=st.booleans(),
    var_corr=SINGLES,
    mean_corr=SINGLES,
    dst_dtype=_whole(32),
    round_type=_whole(32),
    multiplier=_whole(32),
)


@st.composite
def constants(draw: st.DrawFn) -> Value:
    """A constant of any type and up to four dimensions, some of them without elements, some packed."""
    dtype = draw(st.sampled_from(ELEMENTS))
    shape = draw(st.lists(st.integers(0, 3), max_size=4).map(tuple))
    value = Value(draw(TEXTS), dtype, shape, draw(FORMATS), is_parameter=draw(st.booleans()))
    value.quant_params = draw(st.lists(QUANT_PARAMS, max_size=2).map(tuple))
    value.quant_clusters = draw(st.lists(SINGLES, max_size=2).map(tuple))
    if draw(st.integers(0, 5)) == 0:
        raw = np.frombuffer(draw(st.binary(min_size=1, max_size=9)), np.uint8)
        value.packed = PackedWeights(raw, draw(st.sampled_from(list(WeightQuantCompressType)[1:])), draw(st.booleans()))
        return value
    kind = to_numpy(dtype)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    items = np.frombuffer(rng.bytes(int(np.prod(shape)) * kind.itemsize), np.uint8)
    value.data = (items & 1 if dtype == DataType.BOOL else items).view(kind).reshape(shape)
    # A constant without elements has no bytes that could mark it as a parameter.
    value.is_parameter = value.is_parameter and value.data.size > 0
    return value


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A chain of random nodes, each with constants of its own, in one or more graphs."""
    count = draw(st.integers(1, 3))
    info = ModelInfo(
        draw(st.none() | TEXTS),
        draw(st.none() | st.just("MindSpore Lite 2.3.1")),
        draw(_whole(32)),
        draw(st.integers(0, 2**32 - 1)),
        draw(st.booleans()),
        draw(st.none() | st.binary(max_size=4)),
    )
    main, *others = [draw(_chains(i, count)) for i in range(count)]
    main.subgraphs, main.info = others, info
    return main


@st.composite
def _chains(draw: st.DrawFn, position: int, count: int) -> Graph:
    shapes = st.lists(st.integers(-1, 2**31 - 1), max_size=8).map(tuple)
    first = Value(draw(TEXTS), draw(st.sampled_from(ELEMENTS)), draw(shapes), draw(FORMATS))
    last, nodes = first, []
    for _ in range(draw(st.integers(1, 3))):
        step = draw(primitives(draw(st.sampled_from(sorted(set(PRIMITIVE_CLASSES) - {"PartialFusion"})))))
        if count > 1 and draw(st.booleans()):
            others = [i for i in range(count) if i != position]
            step = PRIMITIVE_CLASSES["PartialFusion"](sub_graph_index=draw(st.sampled_from(others)))
        result = Value(draw(TEXTS), draw(st.sampled_from(ELEMENTS)), draw(st.none() | shapes), draw(FORMATS))
        operands = [last, *draw(st.lists(constants(), max_size=2))]
        nodes.append(Node(draw(TEXTS), step, list(operands), [result], draw(QUANT_TYPES), draw(_whole(32))))
        last = result
    return Graph(draw(TEXTS), [first], [last], nodes)

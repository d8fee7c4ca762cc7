"""ONNX's node test cases, each run node by node on our reference kernels."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from lite_delegate_kernels import Array
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

from . import (
    mapping_activation,
    mapping_dense,
    mapping_elementwise,
    mapping_indexing,
    mapping_movement,
    mapping_normalization,
    mapping_pooling,
    mapping_quantization,
    mapping_recurrent,
    mapping_resize,
)
from .function_bodies import BY_FUNCTION_BODY, body_of, default_attributes
from .node import TYPE_IDS, OnnxNode, Outputs, Refused, Why
from .unmapped import UNMAPPED

ONNX_VERSION = "1.23.2"
"""The version of ONNX whose cases the document counts."""

MAPPINGS: dict[str, Callable[[OnnxNode], Outputs]] = {
    **mapping_activation.MAPPINGS,
    **mapping_dense.MAPPINGS,
    **mapping_elementwise.MAPPINGS,
    **mapping_indexing.MAPPINGS,
    **mapping_movement.MAPPINGS,
    **mapping_normalization.MAPPINGS,
    **mapping_pooling.MAPPINGS,
    **mapping_quantization.MAPPINGS,
    **mapping_recurrent.MAPPINGS,
    **mapping_resize.MAPPINGS,
}


PRECISION = dict.fromkeys(
    ("test_attention_4d_causal_fp16", "test_attention_4d_causal_fp16_expanded"),
    "float16, two units in the last place apart; ours are nearer the exact values",
)
"""Cases whose expected values are further from the exact ones than ours; a test measures both distances."""


@dataclass(frozen=True)
class Case:
    """One case of the suite.

    Attributes:
        name: ONNX's name of it.
        operator: the operator under test.
        expanded: whether the model holds the operator's function body in place of the operator.
        model: what runs.
        data: pairs of inputs and expected outputs.
        rtol: the relative tolerance.
        atol: the absolute tolerance.
    """

    name: str
    operator: str
    expanded: bool
    model: onnx.ModelProto
    data: Sequence[tuple[Sequence[Any], Sequence[Any]]]
    rtol: float
    atol: float

    @property
    def mapped(self) -> bool:
        """Whether there is a mapping for what the model holds, or for what it is made of."""
        return self.expanded or self.operator not in UNMAPPED


@functools.cache
def cases() -> tuple[Case, ...]:
    """All node cases, in ONNX's order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = load_model_tests(kind="node")
    return tuple(_case(test) for test in tests)


def _case(test: TestCase) -> Case:
    assert test.model is not None
    assert test.data_sets is not None
    expanded = "_expanded" in test.name
    operator = "function bodies" if expanded else _qualified(test.model.graph.node[-1])
    return Case(test.name, operator, expanded, test.model, test.data_sets, test.rtol, test.atol)


def _qualified(node: onnx.NodeProto) -> str:
    return f"{node.domain}.{node.op_type}" if node.domain else node.op_type


def run_case(case: Case) -> list[str]:
    """Runs a case and compares by ONNX's own rules and tolerances.

    Returns:
        The operator types of the kernels that ran.

    Raises:
        Refused: there is no honest way to run it on our kernels.
        AssertionError: a kernel's numbers, dtypes or shapes are wrong.
    """
    calls: list[str] = []
    for given, wanted in case.data:
        names = [value.name for value in case.model.graph.input]
        inputs, outputs = _arrays(given), _arrays(wanted)
        found = run_model(case.model, dict(zip(names, inputs, strict=True)), calls)
        if case.name in PRECISION:
            raise Refused(Why.PRECISION, PRECISION[case.name])
        Runner.assert_similar_outputs(outputs, found, rtol=case.rtol, atol=case.atol)
    if not calls:
        raise Refused(Why.NOTHING, "only constants")
    return calls


def _arrays(values: Iterable[Any]) -> list[Array]:
    """The arrays that a case holds, which are arrays, numpy scalars or tensors in a message.

    Raises:
        Refused: one is of a type that no kernel computes with, or no array at all.
    """
    tensors = [onnx.numpy_helper.to_array(v) if isinstance(v, onnx.TensorProto) else v for v in values]
    for value in tensors:
        if not isinstance(value, np.ndarray | np.generic):
            raise Refused(Why.TYPE, "sequence or optional")
        if value.dtype.name not in TYPE_IDS:
            raise Refused(Why.TYPE, "string" if value.dtype.kind in "OSU" else value.dtype.name)
    return [np.asarray(value) for value in tensors]


def run_model(model: onnx.ModelProto, inputs: Mapping[str, Array], calls: list[str]) -> list[Array]:
    """The outputs of a model, its nodes mapped in order."""
    opsets = {entry.domain: entry.version for entry in model.opset_import}
    values = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    values |= inputs
    run_nodes(model.graph.node, values, opsets, {}, calls)
    return [np.asarray(values[output.name]) for output in model.graph.output]


def run_nodes(
    nodes: Sequence[onnx.NodeProto],
    values: dict[str, Array],
    opsets: Mapping[str, int],
    attributes: Mapping[str, onnx.AttributeProto],
    calls: list[str],
) -> None:
    """Runs nodes and puts their outputs among ``values``; ``attributes`` are those of the function they belong to."""
    for proto in nodes:
        own = _attributes(proto, attributes)
        inputs = [values.get(name) for name in proto.input]
        if proto.op_type == "Constant":
            outputs: Sequence[Array | None] = (_constant(own),)
        elif _qualified(proto) in BY_FUNCTION_BODY:
            outputs = _run_body(proto, inputs, own, opsets, calls)
        else:
            outputs = _run_node(proto, inputs, own, opsets.get(proto.domain, 1), calls)
        values |= {name: y for name, y in zip(proto.output, outputs, strict=False) if name and y is not None}


def _run_node(
    proto: onnx.NodeProto,
    inputs: Sequence[Array | None],
    attributes: dict[str, onnx.AttributeProto],
    opset: int,
    calls: list[str],
) -> Sequence[Array]:
    name = _qualified(proto)
    if name in UNMAPPED:
        raise Refused(Why.OPERATOR, f"{name} ({UNMAPPED[name]})")
    plain = {key: _plain(attribute) for key, attribute in attributes.items()}
    outputs = MAPPINGS[name](OnnxNode(name, opset, inputs, plain, proto.output, calls))
    return outputs if isinstance(outputs, tuple) else (outputs,)


def _run_body(
    proto: onnx.NodeProto,
    inputs: Sequence[Array | None],
    attributes: dict[str, onnx.AttributeProto],
    opsets: Mapping[str, int],
    calls: list[str],
) -> Sequence[Array | None]:
    opset = opsets.get(proto.domain, 1)
    body = body_of(proto, attributes, inputs, opset)
    values = {name: x for name, x in zip(body.input, inputs, strict=False) if x is not None}
    defaults = default_attributes(proto, opset)
    inner = {**opsets, **{entry.domain: entry.version for entry in body.opset_import}}
    run_nodes(body.node, values, inner, defaults | attributes, calls)
    return [values.get(name) for name in body.output]


def _attributes(proto: onnx.NodeProto, function: Mapping[str, onnx.AttributeProto]) -> dict[str, onnx.AttributeProto]:
    """A node's attributes, those that refer to the function's replaced by these, or left out with them."""
    pairs = ((a.name, function.get(a.ref_attr_name) if a.ref_attr_name else a) for a in proto.attribute)
    return {name: attribute for name, attribute in pairs if attribute is not None}


def _plain(attribute: onnx.AttributeProto) -> Any:
    if attribute.type == onnx.AttributeProto.TENSOR:
        return onnx.numpy_helper.to_array(attribute.t)
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode()
    if attribute.type == onnx.AttributeProto.STRINGS:
        return [text.decode() for text in value]
    return list(value) if attribute.type in (onnx.AttributeProto.INTS, onnx.AttributeProto.FLOATS) else value


_CONSTANT_DTYPES = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


def _constant(attributes: Mapping[str, onnx.AttributeProto]) -> Array:
    ((name, attribute),) = attributes.items()
    (value,) = _arrays([np.asarray(_plain(attribute), dtype=_CONSTANT_DTYPES.get(name))])
    return value

"""One node at a time on LiteRT, the interpreter of TensorFlow Lite models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

_TYPES = {"float32": "FLOAT32", "int32": "INT32", "int64": "INT64", "bool": "BOOL", "int8": "INT8", "int16": "INT16"}


def run_litert(
    op: str, inputs: Sequence[Array], dtype: str = "float32", *, options: str = "", **attributes: Any
) -> Array:
    """What LiteRT gives for one node with one output; skips the test where it is not installed.

    Args:
        op: the name in TensorFlow Lite's schema ("FLOOR_DIV").
        inputs: the arrays; the first is an input of the model, integer vectors after it that say where are too.
        dtype: of the output.
        options: the name of the operator's table of attributes ("FakeQuantOptions"), "" for none.
        attributes: the values of that table, under its Python names ("numBits").
    """
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    interpreter_module = pytest.importorskip("ai_edge_litert.interpreter")
    interpreter = interpreter_module.Interpreter(model_content=_model(schema, op, inputs, dtype, options, attributes))
    for detail, x in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.resize_tensor_input(detail["index"], x.shape)
    interpreter.allocate_tensors()
    for detail, x in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.set_tensor(detail["index"], x)
    interpreter.invoke()
    return np.asarray(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]))


def _model(
    schema: Any, op: str, inputs: Sequence[Array], dtype: str, options: str, attributes: dict[str, Any]
) -> bytes:
    flatbuffers = pytest.importorskip("flatbuffers")
    kinds = [x.dtype.name for x in inputs] + [dtype]
    shapes = [list(x.shape) for x in inputs] + [[]]
    tensors = [_tensor(schema, i, kind, shape) for i, (kind, shape) in enumerate(zip(kinds, shapes, strict=True))]
    count = len(inputs)
    operator = schema.OperatorT()
    operator.inputs, operator.outputs = list(range(count)), [count]
    if options:
        operator.builtinOptionsType = getattr(schema.BuiltinOptions, options)
        operator.builtinOptions = getattr(schema, f"{options}T")()
        for name, value in attributes.items():
            setattr(operator.builtinOptions, name, value)
    graph = schema.SubGraphT()
    graph.tensors, graph.inputs, graph.outputs, graph.operators = tensors, list(range(count)), [count], [operator]
    code = schema.OperatorCodeT()
    code.builtinCode = getattr(schema.BuiltinOperator, op)
    code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), 1
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [code], [graph], [schema.BufferT()]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def _tensor(schema: Any, index: int, kind: str, shape: list[int]) -> Any:
    tensor = schema.TensorT()
    tensor.name, tensor.shape, tensor.buffer = f"t{index}", shape, 0
    tensor.type = getattr(schema.TensorType, _TYPES[kind])
    return tensor

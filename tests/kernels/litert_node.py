"""One node at a time on LiteRT (TensorFlow Lite), builtin or custom; the model is built here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from flatbuffers import flexbuffers
from lite_delegate_kernels import Array

_TENSOR_TYPES = {
    "float32": "FLOAT32",
    "int32": "INT32",
    "int64": "INT64",
    "int8": "INT8",
    "uint8": "UINT8",
    "bool": "BOOL",
    "complex64": "COMPLEX64",
    "object": "STRING",
}


def run_litert(
    op: str,
    inputs: Sequence[Array],
    outputs: int = 1,
    *,
    constants: Sequence[int] = (),
    options: Mapping[str, Any] | None = None,
    custom: bool = False,
    output_dtype: str | Sequence[str] = "float32",
) -> list[Array]:
    """What LiteRT gives; skips the test where it is not installed.

    Args:
        op: the builtin operator's name (``"LOCAL_RESPONSE_NORMALIZATION"``), or the custom one's.
        inputs: arrays of a type that LiteRT has; strings as objects of bytes.
        outputs: how many outputs the operator has.
        constants: positions of the inputs that are stored in the model.
        options: a builtin operator's options, ``{"radius": 2, ...}``, its table under the key ``"table"``; a custom
            operator's attributes.
        custom: whether ``op`` is a custom operator.
        output_dtype: the dtype of all outputs, or one for each.
    """
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    interpreter_module = pytest.importorskip("ai_edge_litert.interpreter")
    content = _model(schema, op, inputs, outputs, constants, dict(options or {}), custom, output_dtype)
    interpreter = interpreter_module.Interpreter(model_content=content)
    for detail, i in zip(interpreter.get_input_details(), _fed(inputs, constants), strict=True):
        interpreter.resize_tensor_input(detail["index"], inputs[i].shape)
    interpreter.allocate_tensors()
    for detail, i in zip(interpreter.get_input_details(), _fed(inputs, constants), strict=True):
        interpreter.set_tensor(detail["index"], inputs[i])
    interpreter.invoke()
    return [np.asarray(interpreter.get_tensor(d["index"])) for d in interpreter.get_output_details()]


def _fed(inputs: Sequence[Array], constants: Sequence[int]) -> list[int]:
    return [i for i in range(len(inputs)) if i not in constants]


def _model(
    schema: Any,
    op: str,
    inputs: Sequence[Array],
    outputs: int,
    constants: Sequence[int],
    options: dict[str, Any],
    custom: bool,
    output_dtype: str | Sequence[str],
) -> bytes:
    import flatbuffers

    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.buffers = 3, [schema.BufferT()]
    graph.tensors = [_tensor(schema, model, f"in{i}", x.dtype.name, x.shape) for i, x in enumerate(inputs)]
    for i in constants:
        graph.tensors[i].buffer = len(model.buffers)
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(inputs[i].tobytes(), dtype=np.uint8)
        model.buffers.append(buffer)
    dtypes = [output_dtype] * outputs if isinstance(output_dtype, str) else output_dtype
    graph.tensors += [_tensor(schema, model, f"out{i}", dtype, ()) for i, dtype in enumerate(dtypes)]
    graph.inputs = _fed(inputs, constants)
    graph.outputs = list(range(len(inputs), len(inputs) + outputs))
    graph.operators = [_operator(schema, op, options, custom)]
    graph.operators[0].inputs, graph.operators[0].outputs = list(range(len(inputs))), graph.outputs
    model.subgraphs, model.operatorCodes = [graph], [_code(schema, op, custom)]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _tensor(schema: Any, model: Any, name: str, dtype: str, shape: tuple[int, ...]) -> Any:
    tensor = schema.TensorT()
    tensor.name, tensor.shape, tensor.buffer = name, list(shape), 0
    tensor.type = getattr(schema.TensorType, _TENSOR_TYPES[dtype])
    return tensor


def _code(schema: Any, op: str, custom: bool) -> Any:
    code = schema.OperatorCodeT()
    code.version = 1
    number = schema.BuiltinOperator.CUSTOM if custom else getattr(schema.BuiltinOperator, op)
    code.builtinCode, code.deprecatedBuiltinCode = number, min(number, 127)
    if custom:
        code.customCode = op
    return code


def _operator(schema: Any, op: str, options: dict[str, Any], custom: bool) -> Any:
    operator = schema.OperatorT()
    if custom:
        operator.customOptions = np.frombuffer(flexbuffers.Dumps(options), dtype=np.uint8)
        return operator
    table = options.pop("table", None)
    if table is not None:
        operator.builtinOptionsType = getattr(schema.BuiltinOptions, table)
        operator.builtinOptions = getattr(schema, f"{table}T")()
        for name, value in options.items():
            setattr(operator.builtinOptions, name, value)
    return operator

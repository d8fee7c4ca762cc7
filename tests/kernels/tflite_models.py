"""Models of one quantized operator for the LiteRT interpreter, and what it makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

TYPES = {"float32": 0, "int32": 2, "uint8": 3, "int64": 4, "bool": 6, "int8": 9}

NEWEST = {"LEAKY_RELU": 2, "HARD_SWISH": 1, "LOG_SOFTMAX": 2, "L2_NORMALIZATION": 2}
"""The version of operators whose newest is below 3."""


@dataclass(frozen=True)
class Operand:
    """A tensor: its contents (or, for an output, anything of its dtype and shape) and its quantization."""

    data: np.ndarray
    scales: Sequence[float] = ()
    zero_points: Sequence[int] = ()
    axis: int = 0
    is_constant: bool = False


def run_litert(op: str, options_type: str, options: Any, inputs: Sequence[Operand], output: Operand) -> np.ndarray:
    """The output of LiteRT's plain C++ kernel (no optimized kernel, no delegate) for ``op``."""
    model = schema.ModelT()
    model.version = 3
    model.operatorCodes = [schema.OperatorCodeT()]
    model.operatorCodes[0].builtinCode = getattr(schema.BuiltinOperator, op)
    model.operatorCodes[0].deprecatedBuiltinCode = min(127, getattr(schema.BuiltinOperator, op))
    model.operatorCodes[0].version = NEWEST.get(op, 3)
    model.buffers = [schema.BufferT()]
    graph = schema.SubGraphT()
    graph.tensors = [_tensor(model, f"t{i}", operand) for i, operand in enumerate([*inputs, output])]
    graph.inputs = [i for i, operand in enumerate(inputs) if not operand.is_constant]
    graph.outputs = [len(inputs)]
    graph.operators = [schema.OperatorT()]
    graph.operators[0].inputs, graph.operators[0].outputs = list(range(len(inputs))), graph.outputs
    graph.operators[0].builtinOptionsType = getattr(schema.BuiltinOptions, options_type)
    graph.operators[0].builtinOptions = options
    model.subgraphs = [graph]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    interpreter = Interpreter(
        model_content=bytes(builder.Output()), experimental_op_resolver_type=OpResolverType.BUILTIN_REF
    )
    interpreter.allocate_tensors()
    for detail, i in zip(interpreter.get_input_details(), graph.inputs, strict=True):
        interpreter.set_tensor(detail["index"], inputs[i].data)
    interpreter.invoke()
    return np.array(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]))


def _tensor(model: Any, name: str, operand: Operand) -> Any:
    tensor = schema.TensorT()
    tensor.name, tensor.shape = name, list(operand.data.shape)
    tensor.type, tensor.buffer = TYPES[operand.data.dtype.name], 0
    if operand.is_constant:
        model.buffers.append(schema.BufferT())
        model.buffers[-1].data = np.frombuffer(operand.data.tobytes(), np.uint8)
        tensor.buffer = len(model.buffers) - 1
    if operand.scales:
        tensor.quantization = schema.QuantizationParametersT()
        tensor.quantization.scale = np.array(operand.scales, np.float32)
        tensor.quantization.zeroPoint = np.array(operand.zero_points, np.int64)
        tensor.quantization.quantizedDimension = operand.axis
    return tensor

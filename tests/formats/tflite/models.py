"""TensorFlow Lite models made here, what LiteRT gives for them, and what the importer and our runtime give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import flatbuffers
import numpy as np
import pytest
from flatbuffers import flexbuffers

from lite_delegate import Context, Model, ModelType
from lite_delegate.formats.ms import ms_bytes, read_ms_buffer
from lite_delegate.formats.tflite import read_tflite_buffer
from lite_delegate.ir import difference

schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
pytest.importorskip("tflite")

from ai_edge_litert.interpreter import Interpreter, OpResolverType  # noqa: E402

TYPES = {
    "float32": "FLOAT32",
    "float16": "FLOAT16",
    "float64": "FLOAT64",
    "int4": "INT4",
    "int8": "INT8",
    "int16": "INT16",
    "int32": "INT32",
    "int64": "INT64",
    "uint8": "UINT8",
    "bool": "BOOL",
    "complex64": "COMPLEX64",
    "object": "STRING",
    "resource": "RESOURCE",
}


@dataclass(frozen=True)
class T:
    """A tensor: ``data`` says dtype and shape where they do not; ``raw`` are the stored bytes where ``data`` is not.

    ``sparsity`` is the schema's own object for a tensor that is stored sparsely.
    """

    data: Any = None
    dtype: str = ""
    shape: Sequence[int] | None = None
    scales: Sequence[float] = ()
    zero_points: Sequence[int] = ()
    axis: int = 0
    constant: bool = False
    variable: bool = False
    signature: Sequence[int] | None = None
    raw: bytes | None = None
    sparsity: Any = None

    @property
    def kind(self) -> str:
        return self.dtype or np.asarray(self.data).dtype.name

    @property
    def dims(self) -> Sequence[int]:
        return list(np.shape(self.data) if self.shape is None else self.shape)


@dataclass(frozen=True)
class Op:
    """An operator: positions of its tensors, and options under the schema's Python names.

    ``raw_options`` are the bytes of a custom operator whose options are no map of ``options``.
    """

    name: str
    inputs: Sequence[int]
    outputs: Sequence[int]
    table: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    custom: bool = False
    second_options: bool = False
    version: int = 1
    raw_options: bytes = b""


@dataclass(frozen=True)
class G:
    """A subgraph."""

    tensors: Sequence[T]
    ops: Sequence[Op]
    inputs: Sequence[int]
    outputs: Sequence[int]
    name: str = "main"


def const(data: Any, dtype: Any = None, **more: Any) -> T:
    return T(np.asarray(data, dtype), constant=True, **more)


def ints(*numbers: int) -> T:
    return const(np.array(numbers, np.int32))


def out(dtype: str = "float32", shape: Sequence[int] = (), **more: Any) -> T:
    return T(dtype=dtype, shape=shape, **more)


def model_bytes(
    graphs: Sequence[G], signatures: Sequence[tuple[str, int, Mapping[str, int], Mapping[str, int]]] = ()
) -> bytes:
    """A file; signatures are key, subgraph, inputs and outputs by name."""
    model = schema.ModelT()
    model.version, model.buffers, model.operatorCodes = 3, [schema.BufferT()], []
    model.description = "made by a test"
    codes: dict[tuple[str, bool, int], int] = {}
    model.subgraphs = [_graph(model, graph, codes) for graph in graphs]
    if signatures:
        model.signatureDefs = [_signature(*each) for each in signatures]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _signature(key: str, subgraph: int, inputs: Mapping[str, int], outputs: Mapping[str, int]) -> Any:
    made = schema.SignatureDefT()
    made.signatureKey, made.subgraphIndex = key, subgraph
    made.inputs, made.outputs = _maps(inputs), _maps(outputs)
    return made


def _maps(named: Mapping[str, int]) -> list[Any]:
    maps = []
    for name, index in named.items():
        each = schema.TensorMapT()
        each.name, each.tensorIndex = name, index
        maps.append(each)
    return maps


def _graph(model: Any, graph: G, codes: dict[tuple[str, bool, int], int]) -> Any:
    made = schema.SubGraphT()
    made.name = graph.name
    made.tensors = [_tensor(model, f"t{i}", t) for i, t in enumerate(graph.tensors)]
    made.inputs, made.outputs = list(graph.inputs), list(graph.outputs)
    made.operators = [_operator(model, op, codes) for op in graph.ops]
    return made


def _tensor(model: Any, name: str, t: T) -> Any:
    made = schema.TensorT()
    made.name, made.shape, made.buffer = name, list(t.dims), 0
    made.type, made.isVariable = getattr(schema.TensorType, TYPES[t.kind]), t.variable
    if t.signature is not None:
        made.shapeSignature = list(t.signature)
    if t.constant:
        raw = np.ascontiguousarray(t.data).tobytes() if t.raw is None else t.raw
        model.buffers.append(schema.BufferT())
        model.buffers[-1].data = np.frombuffer(raw, np.uint8)
        made.buffer = len(model.buffers) - 1
    made.sparsity = t.sparsity
    if len(t.scales):
        made.quantization = schema.QuantizationParametersT()
        made.quantization.scale = np.array(t.scales, np.float32)
        points = t.zero_points if len(t.zero_points) else [0] * len(t.scales)
        made.quantization.zeroPoint = np.array(points, np.int64)
        made.quantization.quantizedDimension = t.axis
    return made


def _operator(model: Any, op: Op, codes: dict[tuple[str, bool, int], int]) -> Any:
    key = (op.name, op.custom, op.version)
    if key not in codes:
        codes[key] = len(model.operatorCodes)
        code = schema.OperatorCodeT()
        number = schema.BuiltinOperator.CUSTOM if op.custom else getattr(schema.BuiltinOperator, op.name)
        code.builtinCode, code.deprecatedBuiltinCode, code.version = number, min(number, 127), op.version
        if op.custom:
            code.customCode = op.name
        model.operatorCodes.append(code)
    made = schema.OperatorT()
    made.opcodeIndex, made.inputs, made.outputs = codes[key], list(op.inputs), list(op.outputs)
    if op.custom and op.options:
        made.customOptions = np.frombuffer(bytes(flexbuffers.Dumps(dict(op.options))), np.uint8)
    if op.raw_options:
        made.customOptions = np.frombuffer(op.raw_options, np.uint8)
    if op.table:
        _options(made, op)
    return made


def _options(made: Any, op: Op) -> None:
    options = getattr(schema, f"{op.table}T")()
    for name, value in op.options.items():
        assert hasattr(options, name), f"{op.table} has no {name}"
        setattr(options, name, value)
    if op.second_options:
        made.builtinOptions2Type, made.builtinOptions2 = getattr(schema.BuiltinOptions2, op.table), options
    else:
        made.builtinOptionsType, made.builtinOptions = getattr(schema.BuiltinOptions, op.table), options


def single(
    op: str, inputs: Sequence[T | None], outputs: Sequence[T], table: str = "", *, custom: bool = False,
    second_options: bool = False, version: int = 1, raw_options: bytes = b"", **options: Any
) -> bytes:  # fmt: skip
    """A model of one operator; inputs that are no constants and no variables are the model's."""
    tensors = [t for t in inputs if t is not None] + list(outputs)
    places = iter(range(len(tensors)))
    positions = [-1 if t is None else next(places) for t in inputs]
    results = list(range(len(tensors) - len(outputs), len(tensors)))
    node = Op(op, positions, results, table, options, custom, second_options, version, raw_options)
    fed = [i for i, t in enumerate(tensors[: len(tensors) - len(outputs)]) if not t.constant and not t.variable]
    return model_bytes([G(tensors, [node], fed, results)])


def litert(content: bytes, arrays: Sequence[Any], *, plain: bool = True, delegates: bool = False) -> list[Any]:
    """What LiteRT's plain C++ kernels give; its optimized ones, without delegates, where there is no plain one.

    With ``delegates`` it is XNNPACK where that takes the operator, as it does by default.
    """
    kinds = [OpResolverType.BUILTIN_REF] if plain else []
    last = OpResolverType.AUTO if delegates else OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = _interpreter(content, [*kinds, last])
    for detail, array in zip(interpreter.get_input_details(), arrays, strict=True):
        if list(detail["shape"]) != list(np.shape(array)):
            interpreter.resize_tensor_input(detail["index"], np.shape(array))
    interpreter.allocate_tensors()
    for detail, array in zip(interpreter.get_input_details(), arrays, strict=True):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    return [np.array(interpreter.get_tensor(d["index"])) for d in interpreter.get_output_details()]


def _interpreter(content: bytes, kinds: Sequence[Any]) -> Any:
    try:
        return Interpreter(model_content=content, experimental_op_resolver_type=kinds[0])
    except ValueError:
        if len(kinds) == 1:
            raise
        return _interpreter(content, kinds[1:])


def ours(content: bytes, arrays: Sequence[Any]) -> list[Any]:
    """What our runtime gives for the imported model."""
    model = Model()
    model.build_from_buffer(content, ModelType.MINDIR_LITE, Context())
    inputs = model.get_inputs()
    if [t.shape for t in inputs] != [list(np.shape(a)) for a in arrays] and not any(a.dtype == object for a in arrays):
        model.resize(inputs, [list(np.shape(a)) for a in arrays])
    results = model.predict({t.name: _strings(a) for t, a in zip(inputs, arrays, strict=True)})
    return [np.array(t.get_strings(), object) if t.dtype.name == "STRING" else t.get_data_to_numpy() for t in results]


def _strings(array: Any) -> Any:
    return np.array([s.decode() for s in array.ravel()]) if array.dtype == object else array


def fed(inputs: Sequence[T | None]) -> list[Any]:
    """The arrays of those inputs that are not part of the model."""
    return [np.asarray(t.data) for t in inputs if t is not None and not t.constant and not t.variable]


def assert_same(got: Sequence[Any], want: Sequence[Any], *, quanta: int = 0, rtol: float = 1e-5, atol: float = 1e-6) -> None:  # fmt: skip # noqa: E501
    """Equal dtypes and shapes; floats close, integers at most ``quanta`` apart."""
    assert len(got) == len(want)
    for mine, theirs in zip(got, want, strict=True):
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
        if mine.dtype.kind == "f":
            np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=atol)
        elif mine.dtype.kind in "iu":
            apart = np.abs(mine.astype(np.int64) - theirs.astype(np.int64))
            assert apart.max(initial=0) <= quanta, f"{apart.max()} quanta apart, in {(apart > quanta).sum()} elements"
        else:
            assert np.array_equal(mine, theirs)


def check(
    op: str, inputs: Sequence[T | None], outputs: Sequence[T] | str = "float32", table: str = "", *, quanta: int = 0,
    rtol: float = 1e-5, atol: float = 1e-6, custom: bool = False, version: int = 1,
    second_options: bool = False, plain: bool = True, **options: Any
) -> list[Any]:  # fmt: skip
    """One operator on LiteRT and on ours, and through a ``.ms`` file; returns what ours gives."""
    results = [out(outputs)] if isinstance(outputs, str) else outputs
    kinds: dict[str, Any] = {"custom": custom, "second_options": second_options, "version": version}
    content = single(op, inputs, results, table, **kinds, **options)
    arrays = fed(inputs)
    want, got = litert(content, arrays, plain=plain), ours(content, arrays)
    imported = read_tflite_buffer(content)
    if imported.inputs:  # a .ms file must have an input
        assert difference(imported, read_ms_buffer(ms_bytes(imported))) is None
    assert_same(got, want, quanta=quanta, rtol=rtol, atol=atol)
    return got


def floats(seed: int, *shape: int, low: float = -2.0, high: float = 2.0) -> T:
    return T(np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32))


def int8(seed: int, *shape: int, scale: float = 0.05, zero_point: int = 0, low: int = -128, high: int = 127) -> T:
    data = np.random.default_rng(seed).integers(low, high, shape, np.int8, endpoint=True)
    return T(data, scales=[scale], zero_points=[zero_point])


def qout(scale: float, zero_point: int = 0, dtype: str = "int8") -> T:
    return out(dtype, scales=[scale], zero_points=[zero_point])


def stored(t: T) -> T:
    """The same as a constant."""
    return T(**{**t.__dict__, "constant": True})

"""The inputs and outputs of an ONNX graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from lite_delegate_kernels import UNKNOWN
from lite_delegate_kernels.custom.narrow import NARROW

from ...errors import InputError
from ...flatbuffer.problem import FormatProblem
from ...ir import Format, Node, OpenShape, Value, make_primitive
from ...ir.custom import ONNX
from ..rejection import NotConvertible, Rejection, Why, unsupported
from .control.sequences import NoElement, SequenceValue
from .declarations import spec_of_type
from .protobuf.types import LAYOUTS, Dtype
from .scope import Scope

if TYPE_CHECKING:
    import onnx

InputShapes: TypeAlias = Mapping[str, Sequence[int]]


def add_inputs(graph: onnx.GraphProto, scope: Scope, input_shapes: InputShapes) -> list[Value]:
    """The graph's inputs as values, added to the scope. An input with an initializer is a constant and no input.

    Raises:
        FormatProblem: an input without a type, or named twice.
        InputError: ``input_shapes`` names no input, or contradicts the file.
        UnsupportedOperatorError: an input is no tensor of a type that kernels compute with.
    """
    given = [info for info in graph.input if info.name not in scope.values]
    unknown = sorted(set(input_shapes) - {info.name for info in given})
    if unknown:
        names = ", ".join(f"'{info.name}'" for info in given)
        raise InputError(f"input_shapes names '{unknown[0]}', the model's inputs are {names or 'none'}.")
    values = []
    for info in given:
        if info.name in scope.values:
            raise FormatProblem("is there twice", f"input '{info.name}'")
        dtype, shape = _tensor_type(info)
        if info.name in input_shapes:
            shape = _wanted(info.name, shape, input_shapes[info.name])
        values.append(scope.builder.input(info.name, dtype, shape))
        values[-1].open_shape = _symbols(info)
        values[-1].format = _layout(shape)
        scope.builder.mark_narrow(values[-1], info.type.tensor_type.elem_type)
        scope.values[info.name] = values[-1]
    return values


def outputs_of(infos: Iterable[onnx.ValueInfoProto], scope: Scope) -> list[Value]:
    """The graph's outputs under their names: a value that is an input, a constant, or an output already is copied.

    Raises:
        FormatProblem: nothing gives an output.
        UnsupportedOperatorError: an output that is a sequence.
    """
    given = {value for node in scope.builder.nodes for value in node.outputs}
    outputs: list[Value] = []
    for info in infos:
        value = scope.values.get(info.name)
        if value is None:
            raise FormatProblem("nothing gives it", f"output '{info.name}'")
        if isinstance(value, SequenceValue | NoElement):
            reason = "a sequence or an empty optional, expected a tensor"
            raise unsupported("The model", [Rejection("graph output", f"'{info.name}'", Why.DTYPE, reason)])
        value = _rounded(value, info, scope)
        given.update(value for node in scope.builder.nodes[-1:] for value in node.outputs)
        if value not in given or value in outputs:
            value = _copy(value, info.name, scope)
        value.name, value.format = info.name, _layout(value.shape)
        outputs.append(value)
    return outputs


def _layout(shape: Sequence[int] | None) -> Format:
    """The layout of an input or output; NCHW, the schema's default, where the rank says nothing."""
    return Format.NCHW if shape is None else LAYOUTS.get(len(shape), Format.NCHW)


def _rounded(value: Value, info: onnx.ValueInfoProto, scope: Scope) -> Value:
    """The value as the type has it that the model declares for an output, where it was computed in a wider one."""
    elem_type = info.type.tensor_type.elem_type if info.type.HasField("tensor_type") else 0
    if elem_type not in NARROW or scope.builder.narrow.get(value) == elem_type:
        return value
    (made,) = scope.builder.add(
        f"{ONNX}.Cast", [value], {"to": elem_type}, [f"{info.name}/narrow"], f"{info.name}/narrow"
    )
    return made


def _copy(value: Value, name: str, scope: Scope) -> Value:
    copy = Value(name, value.dtype, value.shape)
    scope.builder.add_node(Node(f"{name}/copy", make_primitive("Depend"), [value], [copy]), [scope.builder.spec(value)])
    return copy


def _tensor_type(info: onnx.ValueInfoProto) -> tuple[Dtype, tuple[int, ...] | None]:
    where = f"input '{info.name}'"
    kind = info.type.WhichOneof("value")
    if kind is None:
        raise FormatProblem("has no type", where)
    try:
        spec = spec_of_type(info.type)
    except NotConvertible as e:
        raise unsupported("The model", [Rejection("graph input", f"'{info.name}'", e.why, e.reason)]) from None
    return spec.dtype, spec.shape


def _symbols(info: onnx.ValueInfoProto) -> OpenShape | None:
    """The names of dimensions, where any has one."""
    names = tuple(dim.dim_param for dim in info.type.tensor_type.shape.dim)
    return OpenShape(names) if any(names) else None


def _wanted(name: str, declared: tuple[int, ...] | None, wanted: Sequence[int]) -> tuple[int, ...]:
    """The shape that the caller asks for, checked against the file's."""
    shape = tuple(int(d) for d in wanted)
    if min(shape, default=0) < UNKNOWN:
        raise InputError(f"Input '{name}': dimensions must be >= 0, or -1 where one stays open, got {list(shape)}.")
    fits = declared is None or (
        len(declared) == len(shape) and all(d in (UNKNOWN, w) for d, w in zip(declared, shape, strict=True))
    )
    if not fits:
        raise InputError(f"Input '{name}': the model has {list(declared or ())}, got {list(shape)}.")
    return shape

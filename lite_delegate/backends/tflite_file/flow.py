"""Choices and loops: IF and WHILE, whose bodies are subgraphs of the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...delegate import Body, Branches, Kernel, RejectCode, Rounds
from ...formats.tflite.export import TfliteTensor
from ...ir import to_numpy
from ...tensors.tensor import Tensor
from ..lowering import NotLowered
from .builtins import Builtins
from .scope import RunScope

WriteOne = Callable[[Kernel, RunScope], object]


def write_control_flow(kernel: Kernel, scope: RunScope, write: WriteOne) -> None:
    """Writes a loop or a choice.

    Args:
        kernel: has it.
        scope: of the subgraph around it.
        write: writes the kernels in it.

    Raises:
        NotLowered: it cannot be written; the reason names the kernel that cannot.
    """
    if isinstance(kernel.control_flow, Branches):
        _write_choice(kernel, kernel.control_flow, scope, write)
    elif isinstance(kernel.control_flow, Rounds):
        _write_loop(kernel, kernel.control_flow, scope, write)


def _write_choice(kernel: Kernel, flow: Branches, scope: RunScope, write: WriteOne) -> None:
    options = {}
    for option, body in (("then_subgraph_index", flow.if_true), ("else_subgraph_index", flow.if_false)):
        inner = _inner(f"{kernel.name}/{option.split('_')[0]}", body.inputs, scope)
        _write_kernels(body, inner, write)
        inner.finish(body.outputs)
        options[option] = scope.model.place(inner.graph)
    condition = scope.value(kernel.inputs[0])
    if condition.dtype != "bool":
        raise NotLowered(RejectCode.DTYPE, "choices are made by a truth value", f"is {condition.dtype}")
    operands = [condition, *(scope.value(tensor) for tensor in kernel.inputs[1:])]
    scope.graph.operator("IF", operands, [scope.output(y) for y in kernel.outputs], "IfOptions", options)


def _write_loop(kernel: Kernel, flow: Rounds, scope: RunScope, write: WriteOne) -> None:
    """A WHILE over the state; tensors of each round go into arrays that are part of the state, with a counter."""
    size = len(flow.body.inputs)
    items, count = flow.body.outputs[size:], flow.count
    if items and not count:
        rule = "how many rounds there are must be known, as results of each are kept"
        raise NotLowered(RejectCode.SHAPE, rule)
    arrays = [(to_numpy(item.dtype).name, (count or 0, *item.shape)) for item in items]
    more = [*arrays, ("int32", ())] if items else []
    condition = _inner(f"{kernel.name}/condition", flow.condition.inputs, scope)
    _add_inputs(condition, more)
    _write_kernels(flow.condition, condition, write)
    condition.finish(flow.condition.outputs)
    body = _inner(f"{kernel.name}/body", flow.body.inputs, scope)
    kept = _add_inputs(body, more)
    _write_kernels(flow.body, body, write)
    body.finish(flow.body.outputs[:size])
    if items:
        body.graph.outputs += _collected(body, items, kept)
    places = {f"{name}_subgraph_index": scope.model.place(each.graph) for name, each in _named(condition, body)}
    first = [scope.value(tensor) for tensor in kernel.inputs]
    zeros = [scope.builtins.constant(np.zeros(shape, dtype)) for dtype, shape in more]
    results = [scope.builtins.tensor(x.dtype, x.shape, x.quantization) for x in (*first, *zeros)]
    scope.graph.operator("WHILE", [*first, *zeros], results, "WhileOptions", places)
    for tensor, made in zip(flow.end.inputs, results, strict=False):
        scope.define(tensor, made)
    _write_kernels(flow.end, scope, write)
    for tensor, inner in zip(kernel.outputs, flow.end.outputs, strict=True):
        scope.define(tensor, scope.value(inner))


def _named(condition: RunScope, body: RunScope) -> Sequence[tuple[str, RunScope]]:
    return ("cond", condition), ("body", body)


def _inner(name: str, inputs: Sequence[Tensor], scope: RunScope) -> RunScope:
    """A subgraph with inputs for tensors of a body."""
    inner = RunScope(scope.model, scope.model.graph(name), scope.purpose)
    for tensor in inputs:
        inner.take(tensor)
    return inner


def _add_inputs(scope: RunScope, more: Sequence[tuple[str, tuple[int, ...]]]) -> list[TfliteTensor]:
    """Further inputs of a subgraph, which stand for no tensor of the run."""
    made = [scope.builtins.tensor(dtype, shape, name="kept") for dtype, shape in more]
    scope.graph.inputs += made
    return made


def _write_kernels(body: Body, scope: RunScope, write: WriteOne) -> None:
    for kernel in body.kernels:
        try:
            write(kernel, scope)
        except NotLowered as e:
            raise NotLowered(e.code, f"'{kernel.name}' ({kernel.type}) in it: {e}") from e


def _collected(scope: RunScope, items: Sequence[Tensor], kept: Sequence[TfliteTensor]) -> list[TfliteTensor]:
    """The arrays of all rounds with the tensors of this round in their row, and the number of the next round."""
    builtins, (*arrays, number) = scope.builtins, kept
    made = [_with_row(builtins, array, scope.value(item), number) for item, array in zip(items, arrays, strict=True)]
    return [*made, builtins.op("ADD", [number, builtins.number(1, "int32")], (), None, "AddOptions")]


def _with_row(builtins: Builtins, array: TfliteTensor, item: TfliteTensor, number: TfliteTensor) -> TfliteTensor:
    row = builtins.reshape(item, (1, *item.shape))
    zeros = [builtins.ints([0] * item.rank)] if item.rank else []
    place = builtins.reshape(number, (1,))
    if zeros:
        options = {"axis": 0}
        start = builtins.op("CONCATENATION", [place, *zeros], (array.rank,), None, "ConcatenationOptions", **options)
    else:
        start = place
    return builtins.op("DYNAMIC_UPDATE_SLICE", [array, row, start], array.shape, None, "DynamicUpdateSliceOptions")

"""make_stateful: turns inputs and outputs of a model into states of its requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np
from lite_delegate_kernels import Array

from ...basics.similar import did_you_mean
from ...errors import InputError
from ...ir import Graph, Node, Value, has_numpy, make_primitive, read_through, to_numpy, topological_order, verify

_OPEN = -1


def make_stateful(
    model: Graph | str | PathLike[str] | bytes,
    pairs: Mapping[str, str],
    initial: Mapping[str, Array] | None = None,
) -> Graph:
    """The model with pairs of an input and an output as states: the output of a run is the input of the next run.

    A model of N + K inputs and M + K outputs becomes a model of N inputs, K states and M outputs; a state has the name
    of its input. A request keeps its states from run to run (``InferRequest.query_state``); each ``Model.predict``
    begins with the initial values. All states change together, at the commit of a run. The given model is not changed.

    Args:
        model: a graph, the path of a model file, or its bytes.
        pairs: the output with the next value of each input, by names of the file.
        initial: the initial values by input; zeros by default. An initial value fixes the open dimensions of its input,
            except dimensions of length 0, along which the state starts empty and may grow.

    Returns:
        A graph for ``Model.build_from_graph``; a graph from a file is optimized as by ``Model.build_from_file``.

    Raises:
        InputError: a name is unknown or ambiguous, an output is paired twice, or element types or shapes differ; the
            message names the cause.
        TypeError: an argument has the wrong type.
        LiteDelegateError: the file cannot be read, see ``formats.read_model``.
    """
    graph, is_optimized = _graph_of(model)
    made = _with_states(graph, dict(pairs), dict(initial or {}))
    verify(made)
    if is_optimized:
        return made
    from ...passes.optimize import optimize

    return optimize(made).graph


def _with_states(graph: Graph, pairs: Mapping[str, str], initial: Mapping[str, Array]) -> Graph:
    """The graph with states, also when the graph is read again for known shapes, unless a state may grow."""
    pairing = _Pairing(graph, pairs, initial)
    made, shapes = pairing.made(), pairing.shapes
    if any(_OPEN in shape for shape in shapes.values()):
        return replace(made, reading=None)
    return read_through(graph, made, lambda other: _with_states(other, pairs, initial), shapes)


def _graph_of(model: Graph | str | PathLike[str] | bytes) -> tuple[Graph, bool]:
    """The graph, and whether it is optimized already: a given graph, or a graph from a ``.ms`` file."""
    from ...formats import is_ms, read_model, read_model_buffer

    if isinstance(model, Graph):
        verify(model)
        return model, True
    if isinstance(model, bytes):
        return read_model_buffer(model), is_ms(model)
    if not isinstance(model, (str, PathLike)):
        raise TypeError(f"model must be Graph, path or bytes, but got {type(model).__name__}.")
    path = Path(model)
    return read_model(path), is_ms(path)


class _Pairing:
    """The pairs of inputs and outputs of a graph, and their states."""

    def __init__(self, graph: Graph, pairs: Mapping[str, str], initial: Mapping[str, Array]) -> None:
        if not pairs:
            raise InputError("make_stateful: pairs must name at least one input and the output of its next value.")
        _check_known("initial", initial, list(pairs), "the inputs of pairs")
        self._graph = graph
        _check_used_once(pairs)
        self._pairs = {
            _found("input", before, graph.inputs): _found("output", after, graph.outputs)
            for before, after in pairs.items()
        }
        self._states = {
            before: _variable(before, after, initial.get(before.name)) for before, after in self._pairs.items()
        }
        self._copies: list[Node] = []
        self._needless: list[Node] = []

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the states, by input name; -1 for a dimension that may grow."""
        return {before.name: state.shape or () for before, state in self._states.items()}

    def made(self) -> Graph:
        """The graph with states. Assignments follow all nodes that read a state, in the order of the file."""
        graph, ends = self._graph, set(self._pairs.values())
        nodes = [replace(n, inputs=[self._read(v) for v in n.inputs]) for n in topological_order(graph)]
        outputs = [self._kept(v) for v in graph.outputs if v not in ends]
        after = {before: self._kept(self._copied(value)) for before, value in self._pairs.items()}
        assigned = [self._assign(before, value) for before, value in after.items()]
        inputs = [v for v in graph.inputs if v not in self._states]
        needed = [n for n in nodes if all(v not in copy.outputs for v in n.outputs for copy in self._needless)]
        return replace(graph, inputs=inputs, outputs=outputs, nodes=[*needed, *self._copies, *assigned])

    def _read(self, value: Value | None) -> Value | None:
        return value if value is None else self._states.get(value, value)

    def _copied(self, value: Value) -> Value:
        """The source of an output that only renames a value: a state needs no copy, and devices have no such node."""
        copy = next((n for n in self._graph.nodes if value in n.outputs), None)
        used = [n for n in self._graph.nodes if value in n.inputs]
        if copy is None or copy.primitive.op_type != "Depend" or len(copy.inputs) != 1 or used:
            return value
        source = copy.inputs[0]
        if source is None or source.data is not None:
            return value
        self._needless.append(copy)
        return source

    def _kept(self, value: Value) -> Value:
        """A value before any state changes; for a state, a node that copies its value at the start of the run."""
        state = self._states.get(value)
        if state is None:
            return value
        kept = Value(f"{value.name}/before", value.dtype, state.shape, value.format, quant_params=value.quant_params)
        self._copies.append(Node(f"{value.name}/keep", make_primitive("Depend"), [state], [kept]))
        return kept

    def _assign(self, before: Value, after: Value) -> Node:
        state = self._states[before]
        given = Value(f"{before.name}/assigned", before.dtype, state.shape, quant_params=before.quant_params)
        return Node(f"{before.name}/assign", make_primitive("Assign"), [state, after], [given])


def _found(kind: str, name: str, values: list[Value]) -> Value:
    if not isinstance(name, str):
        raise TypeError(f"pairs must map names of inputs to names of outputs, but got {type(name).__name__}.")
    found = [v for v in values if v.name == name]
    if not found:
        names = [v.name for v in values]
        known = ", ".join(f"'{n}'" for n in names) or "none"
        raise InputError(
            f"make_stateful: no {kind} '{name}'; the model's {kind}s are {known}{did_you_mean(name, names) or '.'}"
        )
    if len(found) > 1:
        raise InputError(f"make_stateful: {len(found)} {kind}s of the model are named '{name}'; expected one.")
    return found[0]


def _check_known(what: str, given: Mapping[str, Array], names: list[str], of: str) -> None:
    wrong = [name for name in given if name not in names]
    if wrong:
        known = ", ".join(f"'{n}'" for n in names)
        raise InputError(f"make_stateful: {what} names '{wrong[0]}'; expected one of {of}, {known}.")


def _check_used_once(pairs: Mapping[str, str]) -> None:
    inputs: dict[str, str] = {}
    for before, after in pairs.items():
        if after in inputs:
            raise InputError(f"make_stateful: output '{after}' is paired with input '{inputs[after]}' and '{before}'.")
        inputs[after] = before


def _variable(before: Value, after: Value, initial: Array | None) -> Value:
    """The variable that takes the place of an input.

    Raises:
        InputError: types or shapes of input, output and initial value differ.
    """
    pair = f"make_stateful: input '{before.name}' and output '{after.name}'"
    if not has_numpy(before.dtype) or before.dtype != after.dtype or before.dtype.name == "STRING":
        raise InputError(f"{pair} must be numbers of one type, found {before.dtype.name} and {after.dtype.name}.")
    shape = _common(pair, before.shape, after.shape)
    if initial is None:
        if shape is None or _OPEN in shape:
            raise InputError(
                f"{pair}: the model leaves dimensions open, {_text(before.shape)} and {_text(after.shape)}; give an "
                f"initial value of the state's shape, of length 0 where it grows: initial={{'{before.name}': array}}."
            )
        initial = np.zeros(shape, to_numpy(before.dtype))
    data = _checked(before, shape, initial)
    declared = (_OPEN,) * data.ndim if shape is None else shape
    grown = tuple(d if n == 0 else n for d, n in zip(declared, data.shape, strict=True))
    if _OPEN in grown:
        return replace(before, shape=grown, data=None, is_parameter=True, open_shape=None)
    return replace(before, shape=data.shape, data=data, is_parameter=True, open_shape=None)


def _common(pair: str, before: tuple[int, ...] | None, after: tuple[int, ...] | None) -> tuple[int, ...] | None:
    if before is None or after is None:
        return after if before is None else before
    differ = [(a, b) for a, b in zip(before, after, strict=False) if a != b and _OPEN not in (a, b)]
    if len(before) != len(after) or differ:
        raise InputError(f"{pair} must have one shape, found {list(before)} and {list(after)}.")
    return tuple(max(a, b) for a, b in zip(before, after, strict=True))


def _checked(value: Value, shape: tuple[int, ...] | None, initial: Array) -> Array:
    if not isinstance(initial, np.ndarray):
        raise TypeError(f"initial of '{value.name}' must be numpy.ndarray, but got {type(initial).__name__}.")
    fits = shape is None or (
        len(shape) == initial.ndim and all(d in (_OPEN, n) for d, n in zip(shape, initial.shape, strict=True))
    )
    if initial.dtype != to_numpy(value.dtype) or not fits:
        raise InputError(
            f"make_stateful: initial of '{value.name}' must be {value.dtype.name} {_text(shape)}, "
            f"got {initial.dtype} {list(initial.shape)}."
        )
    data = np.array(initial, order="C")
    data.flags.writeable = False
    return data


def _text(shape: tuple[int, ...] | None) -> str:
    return "of unknown rank" if shape is None else str(list(shape))

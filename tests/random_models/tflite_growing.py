"""A random TensorFlow Lite model that grows node by node; each node is tried on LiteRT at once, with real numbers."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from tests.formats.tflite.models import G, Op, T, litert, model_bytes
from tests.random_models.steps import MOST_ELEMENTS, Array, NotAModel, Parts, Written, tried
from tests.random_models.values import Values


@dataclass(frozen=True)
class Kind:
    """What a tensor declares beside its shape.

    Attributes:
        dtype: the name of its element type.
        scale: of quantized numbers; 0.0 where it has none. Of weights there may be several.
        zero_point: of quantized numbers.
        scales: of weights, one for each channel.
        axis: of the channels.
    """

    dtype: str
    scale: float = 0.0
    zero_point: int = 0
    scales: tuple[float, ...] = ()
    axis: int = 0

    def tensor(self, array: Array, *, is_constant: bool, signature: Sequence[int] | None = None) -> T:
        """The tensor of a model, with the array's shape."""
        scales = self.scales or ((self.scale,) if self.scale else ())
        points = [self.zero_point] * len(scales)
        data = array if is_constant else None
        return T(data, self.dtype, array.shape, scales, points, self.axis, is_constant, signature=signature)


@dataclass(frozen=True)
class TfliteStep:
    """A node, and the model that computes it alone; see ``Step``.

    Attributes:
        op: the operator's name.
        inputs: names of its operands; "" for one that is left out.
        gives: names of its results.
        kinds: what operands and results declare.
        constants: those of its operands.
        table: of its options in the schema.
        options: by their names in the schema.
        inner: the graphs that it calls, by the option that names each.
    """

    op: str
    inputs: tuple[str, ...]
    gives: tuple[str, ...]
    kinds: Mapping[str, Kind]
    constants: Mapping[str, Array]
    table: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    inner: Mapping[str, G] = field(default_factory=dict)

    @property
    def operator(self) -> str:
        """The operator's name."""
        return self.op

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of its operands, each once."""
        return tuple(dict.fromkeys(name for name in self.inputs if name))

    def placed(self, places: Mapping[str, int], first: int) -> Op:
        """The node of a graph whose tensors have places; ``first`` is the place of its first inner graph."""
        reads = [places[name] if name else -1 for name in self.inputs]
        called = {option: first + place for place, option in enumerate(self.inner)}
        return Op(self.op, reads, [places[name] for name in self.gives], self.table, {**self.options, **called})

    def outputs(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """What the node gives, by name. Constants are those of the file, whatever ``arrays`` has."""
        fed = [name for name in self.reads if name not in self.constants]
        known = {**arrays, **self.constants}
        tensors = [self.kinds[name].tensor(known[name], is_constant=name in self.constants) for name in self.reads]
        # Declared of a shape that no result has: LiteRT leaves the declared one to a result of as many elements.
        kinds = [self.kinds[name] for name in self.gives]
        tensors += [T(dtype=kind.dtype, shape=(MOST_ELEMENTS + 1,), **_quantization(kind)) for kind in kinds]
        places = {name: place for place, name in enumerate((*self.reads, *self.gives))}
        graph = G(tensors, [self.placed(places, 1)], [places[n] for n in fed], [places[n] for n in self.gives])
        content = model_bytes([graph, *self.inner.values()])
        return dict(zip(self.gives, litert(content, [arrays[name] for name in fed]), strict=True))


def _quantization(kind: Kind) -> dict[str, Any]:
    return {"scales": (kind.scale,), "zero_points": (kind.zero_point,)} if kind.scale else {}


class TfliteGrowing(Values):
    """A graph that grows.

    Args:
        rng: decides everything.
    """

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.steps: list[TfliteStep] = []
        self.kinds: dict[str, Kind] = {}

    def kind(self, name: str) -> Kind:
        """What a value declares."""
        return self.kinds.get(name) or Kind(self.arrays[name].dtype.name)

    def weights(self, array: Array, *, scale: float = 0.0, scales: Sequence[float] = (), axis: int = 0) -> str:
        """A new quantized constant."""
        name = self.constant(array)
        self.kinds[name] = Kind(array.dtype.name, scale, 0, tuple(scales), axis)
        return name

    def node(
        self,
        op: str,
        inputs: Sequence[str],
        *outputs: Kind,
        table: str = "",
        inner: Mapping[str, G] | None = None,
        **options: Any,
    ) -> tuple[str, ...]:
        """Adds a node if LiteRT takes it, and what it gives is of use; gives the names of its outputs, or none.

        Args:
            op: the operator.
            inputs: names; "" for an input that is left out.
            outputs: what each output declares; none for one of the first input's element type.
            table: of its options in the schema.
            inner: the graphs that it calls, by the option that names each.
            options: by their names in the schema.
        """
        declared = outputs or (Kind(self.arrays[inputs[0]].dtype.name),)
        gives = tuple(self.name() for _ in declared)
        kinds = {name: self.kind(name) for name in inputs if name} | dict(zip(gives, declared, strict=True))
        constants = {name: self.arrays[name] for name in inputs if name in self.constants}
        step = TfliteStep(op, tuple(inputs), gives, kinds, constants, table, options, inner or {})
        found = tried(step, self.arrays)
        if found is None:
            return ()
        self.steps.append(step)
        self.arrays.update(found)
        self.kinds.update(zip(gives, declared, strict=True))
        return gives


@dataclass(frozen=True)
class TfliteWriter:
    """Files of TensorFlow Lite, judged by LiteRT's plain kernels; see ``Writer``."""

    suffix: str = ".tflite"

    def write(self, parts: Parts) -> Written:
        """The model of some nodes; names of tensors are their places."""
        steps = [step for step in parts.steps if isinstance(step, TfliteStep)]
        kinds = {name: kind for step in steps for name, kind in step.kinds.items()}
        graph = graph_of(steps, parts, kinds)
        content = model_bytes([graph, *(inner for step in steps for inner in step.inner.values())])
        return Written(content, [f"t{place}" for place in graph.inputs], [f"t{place}" for place in graph.outputs])

    def run(self, written: Written, parts: Parts) -> list[Array]:
        """What LiteRT gives."""
        try:
            return litert(written.content, list(parts.inputs.values()))
        except Exception as e:
            raise NotAModel from e

    def text(self, content: bytes) -> str:
        """The graph that is imported."""
        from lite_delegate.formats.tflite import read_tflite_buffer
        from lite_delegate.ir import graph_text

        return graph_text(read_tflite_buffer(content))


def graph_of(steps: Sequence[TfliteStep], parts: Parts, kinds: Mapping[str, Kind]) -> G:
    """The graph of some nodes; the graphs that they call come behind it, in order."""
    made = [name for step in steps for name in step.gives]
    names = [*parts.inputs, *parts.constants, *made]
    places = {name: place for place, name in enumerate(names)}
    tensors = [
        (kinds.get(name) or Kind(parts.arrays[name].dtype.name)).tensor(
            parts.arrays[name], is_constant=name in parts.constants, signature=_signature(parts, name)
        )
        for name in names
    ]
    firsts = accumulate((len(step.inner) for step in steps), initial=1)
    placed = [step.placed(places, first) for step, first in zip(steps, firsts, strict=False)]
    return G(tensors, placed, [places[name] for name in parts.inputs], [places[name] for name in parts.outputs])


def _signature(parts: Parts, name: str) -> list[int] | None:
    dims = parts.open_dims.get(name)
    return None if dims is None else [-1 if isinstance(dim, str) else dim for dim in dims]

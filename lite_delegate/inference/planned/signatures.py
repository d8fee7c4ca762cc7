"""Signatures of a model: the ways to call it by names, as TensorFlow Lite files have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import Any, Generic, Protocol, TypeVar

from lite_delegate_kernels import Array

from ...basics.forking import free, free_in_children
from ...basics.similar import near
from ...errors import InputError
from ...ir import Graph, Value
from ..tensors.given_inputs import Given
from ..tensors.port import Port
from ..tensors.results import Results

Model = TypeVar("Model")


class SignatureRunner:
    """A compiled model as a function of named inputs, which gives outputs by name.

    ``CompiledModel.signature`` makes it. It may be called from any number of threads.

    Args:
        key: the name of the signature.
        inputs: of the model, by the names that the signature gives them.
        outputs: the same of outputs.
        call: runs the model once.
    """

    def __init__(
        self,
        key: str,
        inputs: Mapping[str, Port],
        outputs: Mapping[str, Port],
        call: Callable[[Mapping[Any, Given]], Results],
    ) -> None:
        self.key = key
        self.inputs = inputs
        self.outputs = outputs
        self._call = call

    def __call__(self, /, **inputs: Given) -> dict[str, Array]:
        """Runs the model once.

        Args:
            inputs: all of the signature's, by name.

        Returns:
            The outputs by name: new arrays, which are the caller's.

        Raises:
            InputError: inputs are missing, or there are others; the message names them all.
            Exception: what ``CompiledModel.__call__`` raises.
        """
        missing = [f"'{name}'" for name in self.inputs if name not in inputs]
        surplus = [f"'{name}'{near(name, self.inputs)}" for name in inputs if name not in self.inputs]
        if missing or surplus:
            found = {"missing": missing, "unknown": surplus}
            wrong = [f"{what} {', '.join(names)}" for what, names in found.items() if names]
            expected = ", ".join(f"'{name}'" for name in self.inputs) or "none"
            raise InputError(f"Signature '{self.key}': {'; '.join(wrong)}; its inputs are {expected}.")
        results = self._call({self.inputs[name]: given for name, given in inputs.items()})
        return {name: results[port] for name, port in self.outputs.items()}

    def __repr__(self) -> str:
        return f"<Signature '{self.key}': {', '.join(self.inputs)} -> {', '.join(self.outputs)}>"


class OtherSignatures(Generic[Model]):
    """What serves the signatures of a file that call another of its graphs: compiled when first asked for.

    Args:
        make: compiles for a signature.
    """

    def __init__(self, make: Callable[[str], Model]) -> None:
        self._make = make
        self._models: dict[str, Model] = {}
        self._lock = RLock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: whoever compiled in the parent is not here."""
        free(self._lock)

    def model(self, key: str) -> Model:
        """What serves a signature; raises what compiling it does."""
        with self._lock:
            if key not in self._models:
                self._models[key] = self._make(key)
            return self._models[key]

    @property
    def compiled(self) -> tuple[Model, ...]:
        """Those that there are by now."""
        return tuple(self._models.values())


class Signed(Protocol):
    """A model that has signatures."""

    @property
    def graph(self) -> Graph:
        """Its graph, which says what the signatures call."""

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Its inputs."""

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Its outputs."""


def runner_of_signature(
    model: Signed, key: str | None, call: Callable[[Mapping[Any, Given]], Results]
) -> SignatureRunner:
    """A model as a function of inputs by the names of a signature.

    Args:
        model: that serves it.
        key: the signature's name; None: the one that the plain call is.
        call: runs the model once.
    """
    graph = model.graph
    found = next(each for each in graph.signatures if not each.is_elsewhere and key in (None, each.key))
    inputs = named_ports(found.inputs, graph.inputs, model.inputs)
    return SignatureRunner(found.key, inputs, named_ports(found.outputs, graph.outputs, model.outputs), call)


def named_ports(named: Mapping[str, Value], values: Sequence[Value], ports: Sequence[Port]) -> dict[str, Port]:
    """Ports by the names of a signature; values that are no inputs or outputs any more (states) have none."""
    return {name: ports[values.index(value)] for name, value in named.items() if value in values}


def aliases(graph: Graph, values: Sequence[Value], *, is_input: bool) -> list[tuple[str, ...]]:
    """What inputs, or outputs, are called beside their own names: as signatures call them, where nothing else is."""
    found: list[list[str]] = [[] for _ in values]
    taken = {value.name for value in values}
    for signature in graph.signatures:
        for name, value in (signature.inputs if is_input else signature.outputs).items():
            if value in values and name not in taken:
                taken.add(name)
                found[values.index(value)].append(name)
    return [tuple(names) for names in found]

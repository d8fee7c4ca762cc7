"""Signatures of a model: calls with named inputs and outputs, from TensorFlow Lite files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import Any, Generic, Protocol, TypeVar

from lite_delegate_kernels import Array

from ...basics.forking import free, free_in_children
from ...basics.similar import did_you_mean
from ...basics.words.one_line import OneLine, quoted, some
from ...errors import InputError
from ...ir import Graph, Value
from ..tensors.given_inputs import Given
from ..tensors.port import Port
from ..tensors.results import Results

Model = TypeVar("Model")


class SignatureRunner(OneLine):
    """A compiled model as a function from named inputs to named outputs.

    ``CompiledModel.signature`` makes it. Any number of threads may call a signature runner.

    Args:
        key: the name of the signature.
        inputs: the input ports of the model, by their names in the signature.
        outputs: the output ports of the model, by their names in the signature.
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
            inputs: all inputs of the signature, by name.

        Returns:
            The outputs by name: new arrays, which are the caller's.

        Raises:
            InputError: inputs are missing or unknown; the message names all of them.
            Exception: as ``CompiledModel.__call__``.
        """
        missing = [f"'{name}'" for name in self.inputs if name not in inputs]
        surplus = [f"'{name}'" for name in inputs if name not in self.inputs]
        if missing or surplus:
            found = {"missing": missing, "unknown": surplus}
            wrong = [f"{what} {', '.join(names)}" for what, names in found.items() if names]
            expected = ", ".join(f"'{name}'" for name in self.inputs) or "none"
            meant = did_you_mean(surplus[0].strip("'"), self.inputs) if surplus else ""
            raise InputError(f"Signature '{self.key}': {'; '.join(wrong)}; its inputs are {expected}{meant or '.'}")
        results = self._call({self.inputs[name]: given for name, given in inputs.items()})
        return {name: results[port] for name, port in self.outputs.items()}

    def _line(self) -> str:
        return f"{quoted(self.key)}: {some(self.inputs)} -> {some(self.outputs)}"


class OtherSignatures(Generic[Model]):
    """The models of signatures that call another graph of the file, compiled on first use.

    Args:
        make: compiles the model of a signature.
    """

    def __init__(self, make: Callable[[str], Model]) -> None:
        self._make = make
        self._models: dict[str, Model] = {}
        self._lock = RLock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: a thread that compiles in the parent process does not exist in the child process."""
        free(self._lock)

    def model(self, key: str) -> Model:
        """The model of a signature; raises the error of its compilation."""
        with self._lock:
            if key not in self._models:
                self._models[key] = self._make(key)
            return self._models[key]

    @property
    def compiled(self) -> tuple[Model, ...]:
        """The models that have been compiled."""
        return tuple(self._models.values())


class Signed(Protocol):
    """A model that has signatures."""

    @property
    def graph(self) -> Graph:
        """The graph, with its signatures."""

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The inputs in order."""

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The outputs in order."""


def runner_of_signature(
    model: Signed, key: str | None, call: Callable[[Mapping[Any, Given]], Results]
) -> SignatureRunner:
    """A model as a function with the input names of a signature.

    Args:
        model: of the signature.
        key: the signature's name; None: the signature of the plain call.
        call: runs the model once.
    """
    graph = model.graph
    found = next(each for each in graph.signatures if not each.is_elsewhere and key in (None, each.key))
    inputs = named_ports(found.inputs, graph.inputs, model.inputs)
    return SignatureRunner(found.key, inputs, named_ports(found.outputs, graph.outputs, model.outputs), call)


def named_ports(named: Mapping[str, Value], values: Sequence[Value], ports: Sequence[Port]) -> dict[str, Port]:
    """Ports by their names in a signature; values that became states have no port."""
    return {name: ports[values.index(value)] for name, value in named.items() if value in values}


def aliases(graph: Graph, values: Sequence[Value], *, is_input: bool) -> list[tuple[str, ...]]:
    """Further names of inputs or outputs: their names in signatures, except names that another value has."""
    found: list[list[str]] = [[] for _ in values]
    taken = {value.name for value in values}
    for signature in graph.signatures:
        for name, value in (signature.inputs if is_input else signature.outputs).items():
            if value in values and name not in taken:
                taken.add(name)
                found[values.index(value)].append(name)
    return [tuple(names) for names in found]

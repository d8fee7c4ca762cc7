"""RequestTensors: the tensors that feed a request's runs, and the tensors that keep its outputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lite_delegate_kernels import Array

from ...errors import InputError
from ...remote import RemoteTensor
from ...tensors.tensor import Tensor
from .given_inputs import Given, Inputs, checked, given_inputs, plain_arrays
from .input_place import InputPlace, wrapped
from .joined_input import Ready
from .output_place import OutputPlace, check_apart
from .port import Port, find_port

Place = InputPlace | OutputPlace


class RequestTensors:
    """The tensors of a request, by port.

    Args:
        inputs: of the model.
        outputs: of the model.
    """

    def __init__(self, inputs: Sequence[Port], outputs: Sequence[Port]) -> None:
        self._ports = tuple(inputs), tuple(outputs)
        self.inputs = [InputPlace(port) for port in inputs]
        self.outputs = [OutputPlace(port) for port in outputs]
        self.kept: Sequence[Array] | None = None
        """The results of the last run that are not in the places of the outputs yet."""
        self.keeps = True
        """Whether results may be put in the places of outputs later, because the user has no tensor of an output."""
        self.own: tuple[Tensor, ...] = ()
        """The request's own tensors that the user has."""
        self._given: set[Port] = set()
        self.remote: Sequence[tuple[Port, RemoteTensor]] = ()
        """The outputs that stay on a device."""
        self._note_own()

    def settle(self) -> None:
        """Puts kept results in the places of the outputs."""
        kept, self.kept = self.kept, None
        for place, array in zip(self.outputs, kept or (), strict=False):
            place.take(array)

    def give(self, place: Place) -> Tensor:
        """Gives the user the tensor of a place, which the user may write to from now on."""
        if place.port not in self._given:
            self._given.add(place.port)
            self._note_own()
        return place.tensor

    def give_outputs(self) -> None:
        """As ``give``, for all outputs."""
        self.settle()
        for place in self.outputs:
            self.give(place)

    def find(self, key: str | Port) -> Place:
        """The place of an input, or of an output if no input has the name.

        Raises:
            InputError: there is no such input or output.
            TypeError: the key is neither a name nor a port.
        """
        self.settle()
        inputs, outputs = self._ports
        if isinstance(key, Port):
            return self.input(key) if key.is_input else self.output(key)
        if not isinstance(key, str):
            raise TypeError(f"a tensor is found by name or Port, but got {type(key).__name__}; use get_input_tensor.")
        port = find_port(key, (*inputs, *outputs), "input or output")
        return self.inputs[port.index] if port.is_input else self.outputs[port.index]

    def input(self, key: int | Port) -> InputPlace:
        """The place of an input."""
        return self.inputs[find_port(key, self._ports[0], "input").index]

    def output(self, key: int | Port) -> OutputPlace:
        """The place of an output."""
        self.settle()
        return self.outputs[find_port(key, self._ports[1], "output").index]

    def set(self, place: Place, given: Tensor | Array) -> None:
        """Puts a tensor of the user in a place.

        Raises:
            TypeError: the argument is neither a tensor nor an array.
            InputError: the tensor does not fit, or shares memory with another output's tensor; the place does not
                change.
        """
        tensor = _tensor(given, place.port)
        before = place.tensor
        place.set(tensor)
        if isinstance(place, OutputPlace):
            try:
                check_apart(self.outputs)
            except InputError:
                place.tensor = before
                raise
        self._note_own()

    def own_outputs(self) -> None:
        """Moves the places of all outputs back to memory of the request."""
        self.outputs = [OutputPlace(place.port) for place in self.outputs]
        self._note_own()

    def read(self, inputs: Inputs) -> list[Ready]:
        """The checked inputs of a run: the given values, and the tensors of all other inputs.

        Raises:
            TypeError: an argument has the wrong type.
            InputError: an input of the wrong number, name, dtype or shape, or an input without a value.
        """
        if inputs is None:
            given = {}
        else:
            given = given_inputs(inputs, self._ports[0])
            if len(given) == len(self.inputs):
                return [checked(given[place.port.index], place.port) for place in self.inputs]
        unset = [place.port for place in self.inputs if not place.is_set and place.port.index not in given]
        if unset:
            names = ", ".join(f"{port.index} '{port.name}'" for port in unset)
            raise InputError(f"Nothing was set for the inputs {names}; give them to infer, or call set_tensor.")
        return [
            checked(given[place.port.index], place.port) if place.port.index in given else place.checked()
            for place in self.inputs
        ]

    def join(self, key: str | Port, tensors: Sequence[Given], axis: int) -> None:
        """Joins an input from several tensors; see ``InferRequest.set_tensors``."""
        place = self.find(key)
        if not isinstance(place, InputPlace):
            raise InputError(f"{place.port.where}: only inputs are joined from several tensors.")
        place.set_joined(tensors, axis)
        self._note_own()

    def ready(self, inputs: Inputs) -> list[Array] | None:
        """The arrays of a run without a full check: plain arrays, or arrays that were checked before; else None."""
        if inputs is not None:
            return plain_arrays(inputs, self._ports[0])
        ready: list[Array] = []
        for place in self.inputs:
            seen = place.seen
            if seen is None or place.tensor.held is not seen or seen.shape != place.port.extents:
                return None
            ready.append(seen)
        return ready

    def _note_own(self) -> None:
        places: list[Place] = [*self.inputs, *self.outputs]
        self.own = tuple(place.tensor for place in places if place.is_own and place.port in self._given)
        self.keeps = all(place.is_own and place.port not in self._given for place in self.outputs)
        self.remote = [(p.port, p.tensor) for p in self.outputs if isinstance(p.tensor, RemoteTensor)]


def _tensor(given: Tensor | Array, port: Port) -> Tensor:
    """A given tensor, or a tensor around the memory of a given array."""
    if isinstance(given, Tensor):
        return given
    if not isinstance(given, np.ndarray):
        raise TypeError(f"{port.where}: expected Tensor or numpy.ndarray, but got {type(given).__name__}.")
    return wrapped(given)

"""RequestTensors: the tensors of a request: what feeds its runs, and where their outputs are kept."""

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
        inputs: the model's.
        outputs: the model's.
    """

    def __init__(self, inputs: Sequence[Port], outputs: Sequence[Port]) -> None:
        self._ports = tuple(inputs), tuple(outputs)
        self.inputs = [InputPlace(port) for port in inputs]
        self.outputs = [OutputPlace(port) for port in outputs]
        self.kept: Sequence[Array] | None = None
        """What the last run gave for the outputs, where their places do not have it yet."""
        self.keeps = True
        """Whether nobody can see when the places of outputs get what a run gave: it is kept until somebody looks."""
        self.own: tuple[Tensor, ...] = ()
        """Those that are the request's own and that somebody was given."""
        self._given: set[Port] = set()
        self.remote: Sequence[tuple[Port, RemoteTensor]] = ()
        """Outputs that go to a device."""
        self._note_own()

    def settle(self) -> None:
        """Puts what is kept in the places of the outputs."""
        kept, self.kept = self.kept, None
        for place, array in zip(self.outputs, kept or (), strict=False):
            place.take(array)

    def give(self, place: Place) -> Tensor:
        """The tensor in a place, for the user, who may write to it from now on."""
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
        """Where a tensor is kept: an input's, or an output's if no input has the name.

        Raises:
            InputError: there is no such input or output.
            TypeError: neither a name nor a port.
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
        """Where an input is read from."""
        return self.inputs[find_port(key, self._ports[0], "input").index]

    def output(self, key: int | Port) -> OutputPlace:
        """Where an output is kept."""
        self.settle()
        return self.outputs[find_port(key, self._ports[1], "output").index]

    def set(self, place: Place, given: Tensor | Array) -> None:
        """Puts a tensor of the user in a place.

        Raises:
            TypeError: neither a tensor nor an array.
            InputError: it does not fit, or shares its memory with that of another output. Nothing is changed.
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
        """Outputs are kept in memory of the request's own again."""
        self.outputs = [OutputPlace(place.port) for place in self.outputs]
        self._note_own()

    def read(self, inputs: Inputs) -> list[Ready]:
        """What a run reads, checked: what is given, and for the rest the tensors.

        Raises:
            TypeError: an argument of the wrong type.
            InputError: an input of the wrong number, name, dtype or shape, or one that nothing was set for.
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
        """Lets an input be joined from several tensors; see ``InferRequest.set_tensors``."""
        place = self.find(key)
        if not isinstance(place, InputPlace):
            raise InputError(f"{place.port.where}: only inputs are joined from several tensors.")
        place.set_joined(tensors, axis)
        self._note_own()

    def ready(self, inputs: Inputs) -> list[Array] | None:
        """What a run reads, if it can be seen at a glance to be arrays to be read as they are: given or seen before."""
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
    """A tensor as it is; a tensor around the memory of an array."""
    if isinstance(given, Tensor):
        return given
    if not isinstance(given, np.ndarray):
        raise TypeError(f"{port.where}: expected Tensor or numpy.ndarray, but got {type(given).__name__}.")
    return wrapped(given)

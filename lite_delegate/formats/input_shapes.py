"""Dimensions that the caller gives for inputs of which the file leaves some open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import InputError
from ..ir import Value

InputShapes = Mapping[str, Sequence[int]]


def give_shapes(inputs: Sequence[Value], shapes: InputShapes) -> None:
    """Gives inputs their dimensions, by name.

    Raises:
        InputError: a name that no input has, another rank, or another number where the file has one.
    """
    names = [v.name for v in inputs]
    for name, dims in shapes.items():
        if name not in names:
            known = ", ".join(f"'{n}'" for n in names) or "none"
            raise InputError(f"input_shapes names '{name}', the model's inputs are {known}.")
        value = inputs[names.index(name)]
        value.shape = _given(name, value.shape or (), tuple(dims))


def _given(name: str, declared: tuple[int, ...], dims: tuple[int, ...]) -> tuple[int, ...]:
    fits = len(dims) == len(declared) and all(d > 0 and k in (-1, d) for d, k in zip(dims, declared, strict=True))
    if not fits:
        raise InputError(f"input_shapes of '{name}' must fit {list(declared)}, got {list(dims)}.")
    return dims

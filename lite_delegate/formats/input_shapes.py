"""Open dimensions of inputs: the caller's sizes, and one rule for all other dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from ..basics.data_class import dataclass
from ..errors import InputError
from ..ir import DataType, Value

InputShapes = Mapping[str, Sequence[int]]
OPEN = -1
ASSUMED = 1
"""An open dimension that nothing says anything of."""


def give_shapes(inputs: Sequence[Value], shapes: InputShapes) -> None:
    """Gives inputs their dimensions, by name; raises as ``given_shapes`` does."""
    for value, dims in given_shapes(inputs, shapes).items():
        value.shape = dims


def given_shapes(inputs: Sequence[Value], shapes: InputShapes) -> dict[Value, tuple[int, ...]]:
    """The dimensions that are given for inputs, by name.

    Raises:
        InputError: a name that no input has, another rank, or another number where the file has one.
    """
    names = [v.name for v in inputs]
    found: dict[Value, tuple[int, ...]] = {}
    for name, dims in shapes.items():
        if name not in names:
            known = ", ".join(f"'{n}'" for n in names) or "none"
            raise InputError(f"input_shapes names '{name}', the model's inputs are {known}.")
        value = inputs[names.index(name)]
        found[value] = _given(name, value.shape, tuple(dims))
    return found


def _given(name: str, declared: tuple[int, ...] | None, dims: tuple[int, ...]) -> tuple[int, ...]:
    if min(dims, default=1) <= 0 or not _fit(dims, declared):
        expected = "be at least 1" if declared is None else f"fit {list(declared)}"
        raise InputError(f"input_shapes of '{name}' must {expected}, got {list(dims)}.")
    return dims


def follow_shapes(inputs: Sequence[Value], shapes: InputShapes) -> None:
    """Gives open dimensions of inputs the sizes that data has, by name; data that does not fit is checked elsewhere."""
    for value in inputs:
        dims = shapes.get(value.name)
        if dims is not None and is_open(value) and _fit(tuple(dims), value.shape):
            value.shape = tuple(dims)


def is_open(value: Value) -> bool:
    """True where the file leaves dimensions open; the sizes of strings are not spoken of."""
    return value.dtype != DataType.STRING and (value.shape is None or OPEN in value.shape)


def _fit(dims: tuple[int, ...], declared: tuple[int, ...] | None) -> bool:
    if declared is None:
        return True
    return len(dims) == len(declared) and all(k in (OPEN, d) for d, k in zip(dims, declared, strict=True))


@dataclass(frozen=True, slots=True)
class ClosedShapes:
    """Shapes for inputs with open dimensions in the file.

    Attributes:
        shapes: shapes by input; inputs of known shape or of unknown rank are left out.
    """

    shapes: Mapping[Value, tuple[int, ...]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """One line of text: each input, its shape in the file, the shape in use, and the options that change it."""
        return f"Open dimensions: {self.taken}; to change that: {self.flags}"

    @property
    def taken(self) -> str:
        """Each input, its shape in the file, and the shape in use; "" where nothing is open."""
        return ", ".join(f"'{v.name}' {shape_text(v)} is taken as {list(dims)}" for v, dims in self.shapes.items())

    @property
    def flags(self) -> str:
        """The options of a command that give the same shapes."""
        return " ".join(f"--input-shape {_flag(v.name, dims)}" for v, dims in self.shapes.items())


ALL_KNOWN = ClosedShapes()
"""Nothing is open."""


def close_shapes(inputs: Sequence[Value]) -> ClosedShapes:
    """The assumed shapes of inputs where the file leaves dimensions open. An open dimension is

    1. the dimension of another input that is known and has the same name in the file (ONNX's ``N``);
    2. the value that the file has beside it (TFLite's ``shape`` beside ``shape_signature``);
    3. 1.

    Inputs of strings and of unknown rank stay as they are.
    """
    known: dict[str, int] = {}
    for value in inputs:
        for name, dim in zip(_symbols(value), value.shape or (), strict=False):
            if name and dim != OPEN:
                known.setdefault(name, dim)
    return ClosedShapes({v: _closed(v, known) for v in inputs if v.shape is not None and is_open(v)})


def _closed(value: Value, known: Mapping[str, int]) -> tuple[int, ...]:
    shape = value.shape or ()
    usual = value.open_shape.usual if value.open_shape is not None else None
    symbols = _symbols(value) or ("",) * len(shape)
    rest = usual if usual is not None and len(usual) == len(shape) else (ASSUMED,) * len(shape)
    return tuple(
        dim if dim != OPEN else known.get(name, other or ASSUMED)
        for dim, name, other in zip(shape, symbols, rest, strict=True)
    )


def shape_text(value: Value) -> str:
    """The shape of an input as the file has it: "[N, 3, 224, 224]", with the names of open dimensions."""
    if value.shape is None:
        return "of unknown rank"
    symbols = _symbols(value) or ("",) * len(value.shape)
    dims = [name if dim == OPEN and name else str(dim) for dim, name in zip(value.shape, symbols, strict=True)]
    return f"[{', '.join(dims)}]"


def ways_to_say(inputs: Sequence[Value]) -> str:
    """The inputs whose shapes the file leaves open, and how a user says them; for errors."""
    from shlex import quote  # for errors

    open_ = [value for value in inputs if is_open(value)]
    named = ", ".join(f"'{value.name}' {shape_text(value)}" for value in open_)
    option = " ".join(f"--input-shape {quote(f'{value.name}=D,D,...')}" for value in open_)
    return (
        f"give {named} shapes that it takes: {option} on the command line; else Context.input_shapes, the argument "
        "shapes, resize, or arrays of such shapes for predict"
    )


def _symbols(value: Value) -> tuple[str, ...]:
    """The names of the dimensions; none where there are not as many as dimensions."""
    found = () if value.open_shape is None else value.open_shape.symbols
    return found if len(found) == len(value.shape or ()) else ()


def _flag(name: str, dims: Sequence[int]) -> str:
    from shlex import quote

    return quote(f"{name}={','.join(map(str, dims))}")

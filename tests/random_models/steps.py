"""What random models of any format are made of: steps that compute one node each, and writers of files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

Array = np.ndarray[Any, Any]
Dims = Mapping[str, Sequence[int | str]]
"""Declarations of inputs with open dimensions, by name."""
MOST_ELEMENTS = 4096
"""Of one value: models stay small."""
SMALLEST, LARGEST = 2.0**-14, 1e4
"""Of the largest number of one value: what follows from larger ones says little, and float16 holds smaller ones as
multiples of 6e-8, or as 0.
"""


class NotAModel(Exception):
    """The runtime that judges rejects the model as a whole."""


class Step(Protocol):
    """A node, and what computes it alone.

    Attributes:
        operator: its name in the format.
        reads: names of the values that it reads.
        gives: names of the values that it gives.
    """

    @property
    def operator(self) -> str: ...
    @property
    def reads(self) -> tuple[str, ...]: ...
    @property
    def gives(self) -> tuple[str, ...]: ...

    def outputs(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """What the node gives, by name.

        Args:
            arrays: what it reads, and maybe more.
        """


S = TypeVar("S", bound=Step)


@dataclass(frozen=True)
class Parts:
    """What a file is written of.

    Attributes:
        steps: the nodes in order.
        inputs: the model's, with the arrays that it is judged with.
        constants: by name.
        outputs: names of values.
        open_dims: declarations of inputs that are not their arrays' shapes.
        arrays: every value by name.
    """

    steps: Sequence[Step]
    inputs: Mapping[str, Array]
    constants: Mapping[str, Array]
    outputs: Sequence[str]
    open_dims: Dims
    arrays: Mapping[str, Array]


@dataclass(frozen=True)
class Written:
    """A file.

    Attributes:
        content: its bytes.
        inputs: what inputs are called in it, in the order of the parts'.
        outputs: the same of outputs.
    """

    content: bytes
    inputs: Sequence[str]
    outputs: Sequence[str]


class Writer(Protocol):
    """A format, with the runtime that says what is right."""

    @property
    def suffix(self) -> str: ...

    def write(self, parts: Parts) -> Written:
        """The file of some nodes."""

    def run(self, written: Written, parts: Parts) -> list[Array]:
        """What a file gives for the inputs of its parts.

        Raises:
            NotAModel: the runtime rejects it.
        """

    def text(self, content: bytes) -> str:
        """A file for people."""


def is_of_use(array: Array) -> bool:
    """Whether a value has neither too many elements nor none, nor numbers that nothing can be told from."""
    if not 0 < array.size <= MOST_ELEMENTS or array.dtype.kind not in "fiub":
        return False
    if array.dtype.kind != "f":
        return True
    largest = float(np.abs(array).max())  # NaN if there is one
    return largest == 0 or SMALLEST <= largest < LARGEST


def has_roots(array: Array) -> bool:
    """Whether no number is about 0: of one that is 0, rounding may make one below that has no root."""
    return bool((np.abs(array) > SMALLEST).all())


def has_length(array: Array, axis: int) -> bool:
    """Whether no vector along an axis is about 0: by its length, rounding decides what is divided."""
    return bool((np.linalg.norm(array.astype(np.float64), axis=axis) > SMALLEST).all())


def tried(step: Step, arrays: Mapping[str, Array]) -> dict[str, Array] | None:
    """What a node gives, by name; None where it does not take what it reads, or gives what is of no use."""
    try:
        found = step.outputs(arrays)
    except Exception:  # the choice did not fit the operator
        return None
    return found if all(is_of_use(array) for array in found.values()) else None


def needed(steps: Sequence[S], outputs: Iterable[str]) -> tuple[list[S], set[str]]:
    """The nodes that some values need, in order, and the names of what is given to them."""
    wanted, kept = set(outputs), list[S]()
    for step in reversed(steps):
        if wanted.intersection(step.gives):
            kept.append(step)
            wanted.update(step.reads)
    kept.reverse()
    return kept, wanted - {name for step in kept for name in step.gives}


def unread(steps: Sequence[Step]) -> list[str]:
    """The results that nothing reads, in order."""
    read = {name for step in steps for name in step.reads}
    return [name for step in steps for name in step.gives if name not in read]


def replayed(
    steps: Sequence[Step],
    arrays: Mapping[str, Array],
    changed: Callable[[Array, str], Array],
    constants: Collection[str] = (),
) -> dict[str, Array]:
    """All values once more, each changed as soon as it is there.

    Constant vectors and numbers stay as they are: scales, factors and bounds are what the model says.

    Args:
        steps: the nodes in order.
        arrays: inputs and constants, and maybe more.
        changed: what becomes of an array that an operator gives, or that is given ("").
        constants: names of the arrays that are constants.
    """
    made = {name for step in steps for name in step.gives}
    given = {name: array for name, array in arrays.items() if name not in made}
    stay = {name for name in constants if name in given and given[name].ndim < 2}
    known = {name: array if name in stay else changed(array, "") for name, array in given.items()}
    for step in steps:
        known.update({name: changed(y, step.operator) for name, y in step.outputs(known).items()})
    return known

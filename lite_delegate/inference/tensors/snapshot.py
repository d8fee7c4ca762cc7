"""StateSnapshot: the values of all states of a request at one moment, for this request or another."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ...basics.files import write_whole
from ...basics.opening import open_regular
from ...basics.unforeseen import shown
from ...basics.words.one_line import Brief, OneLine, some
from ...errors import InputError, ModelFormatError
from ...ir import DataType, from_numpy, to_numpy
from ...runtime.execution.plan import ExecutionPlan

_NAMES = "names"
"""The member of a snapshot's file with the names of the states; ``value_0``, ``value_1``, ... have their values."""


@dataclass(frozen=True, slots=True)
class StateInfo(Brief):
    """The name, the type and the shape of a state.

    Attributes:
        name: of the variable in the model's file; a second variable of the name is "name#2".
        dtype: the element type.
        shape: the dimensions; -1 for a dimension that may grow or shrink.
    """

    name: str
    dtype: DataType
    shape: tuple[int, ...]

    @property
    def where(self) -> str:
        """The name of the state in messages."""
        return f"State '{self.name}'"

    def __str__(self) -> str:
        return f"'{self.name}' {self.dtype.name} {list(self.shape)}"

    def takes(self, array: Array) -> bool:
        """Whether an array has the type and the shape of the state."""
        return array.dtype.newbyteorder("=") == to_numpy(self.dtype) and fits(array.shape, self.shape)


def fits(shape: Sequence[int], declared: Sequence[int]) -> bool:
    """Whether a shape fits a declared shape; any length fits an open dimension."""
    pairs = zip(shape, declared, strict=False)
    return len(shape) == len(declared) and all(d in (n, -1) for n, d in pairs)


def states_of(plan: ExecutionPlan) -> tuple[StateInfo, ...]:
    """The states of a plan's model, in the order of its file."""
    described = zip(plan.state_names, plan.state, plan.state_shapes, strict=True)
    return tuple(StateInfo(name, from_numpy(value.dtype), shape) for name, value, shape in described)


class StateSnapshot(OneLine, Mapping[str, Array]):
    """The values of all states of a request, by name; immutable, and made by ``InferRequest.snapshot`` and ``load``.

    Args:
        states: names, types and shapes of the states; a request with other states cannot be restored from the snapshot.
        values: the read-only value of each state.
    """

    def __init__(self, states: Sequence[StateInfo], values: Sequence[Array]) -> None:
        self._states = tuple(states)
        self._values = tuple(values)

    @property
    def states(self) -> tuple[StateInfo, ...]:
        """Names, element types and shapes of the states."""
        return self._states

    @property
    def values_in_order(self) -> tuple[Array, ...]:
        """The values of ``states``, read-only."""
        return self._values

    def __getitem__(self, name: str) -> Array:
        for state, value in zip(self._states, self._values, strict=True):
            if state.name == name:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (state.name for state in self._states)

    def __len__(self) -> int:
        return len(self._states)

    def _line(self) -> str:
        return f"of {some(map(str, self._states)) or 'no state'}"

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the snapshot to a ``.npz`` file, whole or not at all.

        Raises:
            InputError: there can be no file at the path.
            OSError: the file cannot be written.
        """
        arrays: dict[str, Any] = {f"value_{i}": value for i, value in enumerate(self._values)}
        file = io.BytesIO()
        arrays[_NAMES] = np.array([s.name for s in self._states], np.str_)
        np.savez(file, **arrays)
        write_whole(Path(path), file.getvalue())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> StateSnapshot:
        """The snapshot that ``save`` wrote.

        Raises:
            ModelFormatError: the file is no snapshot, or damaged.
            OSError: the file cannot be read.
        """
        try:
            with open_regular(path) as opened, np.load(opened, allow_pickle=False) as file:
                _check_stored(file)
                names = [str(name) for name in file[_NAMES]]
                values = [file[f"value_{i}"] for i in range(len(names))]
                states = [StateInfo(n, from_numpy(v.dtype), v.shape) for n, v in zip(names, values, strict=True)]
        except OSError:
            raise
        except Exception as e:  # the reader of a damaged file raises many types of errors
            raise ModelFormatError(
                f"'{path}' is no snapshot of states (StateSnapshot.save writes them): {shown(e)}"
            ) from None
        for value in values:
            value.flags.writeable = False
        return cls(states, values)


def _check_stored(file: Any) -> None:
    """Raises ValueError for a compressed member, which could be far larger than its file; ``save`` compresses none."""
    from zipfile import ZIP_STORED  # with shutil and compression, which few processes need

    packed = [each.filename for each in file.zip.infolist() if each.compress_type != ZIP_STORED]
    if packed:
        raise ValueError(f"'{packed[0]}' is compressed")


def check_signature(found: StateSnapshot, expected: Sequence[StateInfo]) -> None:
    """Raises InputError with the differences if the states of a snapshot are not the expected states."""
    theirs = dict(zip(found.states, found.values_in_order, strict=True))
    named = {state.name: state for state in theirs}
    mine = {state.name for state in expected}
    wrong = [f"it has {s}, which the model has not" for s in theirs if s.name not in mine]
    for state in expected:
        other = named.get(state.name)
        if other is None:
            wrong.append(f"it lacks {state}")
        elif not state.takes(theirs[other]):
            wrong.append(f"expected {state}, found {other}")
    if wrong:
        raise InputError(f"The snapshot is not one of this model's states: {'; '.join(wrong)}.")

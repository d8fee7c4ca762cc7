"""Results: the outputs of one run."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Sequence
from typing import overload

from lite_delegate_kernels import Array

from ...basics.words.one_line import OneLine, extents, quoted, some
from .port import Port, find_port

Key = int | str | Port


class Results(OneLine, Sequence[Array]):
    """The outputs of one run: a sequence of arrays, also indexed by name and by port.

    An iteration gives the arrays in order; ``keys``, ``items`` and ``to_dict`` have the names. An output that stayed on
    a device has its ``RemoteTensor`` in place of an array.

    Args:
        ports: the outputs of the model.
        arrays: the result for each output.
    """

    __slots__ = ("_arrays", "_ports")

    def __init__(self, ports: Sequence[Port], arrays: Sequence[Array]) -> None:
        self._ports = ports
        self._arrays = tuple(arrays)

    @overload
    def __getitem__(self, key: Key) -> Array: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[Array, ...]: ...

    def __getitem__(self, key: Key | slice) -> Array | tuple[Array, ...]:
        """An output by index, name or port.

        Raises:
            InputError: there is no such name or port.
            IndexError: there is no such index.
        """
        if isinstance(key, (slice, int)):
            return self._arrays[key]
        return self._arrays[find_port(key, self._ports, "output").index]

    def __len__(self) -> int:
        return len(self._arrays)

    def __iter__(self) -> Iterator[Array]:
        return iter(self._arrays)

    def __contains__(self, key: object) -> bool:
        """Whether there is an output with a given name or port."""
        if isinstance(key, Port):
            return key in self._ports
        return isinstance(key, str) and any(key in port.names for port in self._ports)

    @property
    def ports(self) -> tuple[Port, ...]:
        """The outputs of the model, in order."""
        return tuple(self._ports)

    def keys(self) -> list[str]:
        """The names of the outputs, in order."""
        return [port.name for port in self._ports]

    def values(self) -> tuple[Array, ...]:
        """The arrays, in order."""
        return self._arrays

    def items(self) -> ItemsView[str, Array]:
        """The names with their arrays."""
        return self.to_dict().items()

    def to_dict(self) -> dict[str, Array]:
        """The arrays by name."""
        return dict(zip(self.keys(), self._arrays, strict=True))

    def to_tuple(self) -> tuple[Array, ...]:
        """The arrays, in order."""
        return self._arrays

    def _line(self) -> str:
        pairs = zip(self._ports, self._arrays, strict=True)
        return some(f"{quoted(port.name)} {array.dtype} {extents(array.shape)}" for port, array in pairs)

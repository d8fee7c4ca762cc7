"""Channel: messages with file descriptors over a Unix socket."""

from __future__ import annotations

import io
import pickle
import socket
import struct
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from ...basics.unforeseen import shown

_HEADER = struct.Struct("<QI")
MOST_DESCRIPTORS = 8


class ChannelClosed(Exception):
    """The process at the other end is gone."""


class Channel:
    """Messages with file descriptors over a Unix socket; the next message comes whole or not at all.

    Args:
        end: this process's end of a socket pair.
        loads: makes a message of its bytes.
    """

    def __init__(self, end: socket.socket, loads: Callable[[bytes], Any] = pickle.loads) -> None:
        self.end = end
        self._loads = loads

    def send(self, message: object, descriptors: Sequence[int] = ()) -> None:
        """Sends a message.

        Raises:
            ChannelClosed: nobody can read it.
            TimeoutError: it is not read in time.
            Exception: the message cannot be pickled; nothing was sent.
        """
        data = pickle.dumps(message, protocol=5)
        header = _HEADER.pack(len(data), len(descriptors))
        try:
            if descriptors:
                socket.send_fds(self.end, [header], descriptors)
            else:
                self.end.sendall(header)
            self.end.sendall(data)
        except TimeoutError:
            raise
        except OSError as e:
            raise ChannelClosed from e

    def receive(self) -> tuple[Any, list[int]]:
        """The next message, with its descriptors, which the caller closes.

        Raises:
            ChannelClosed: no message comes any more.
            TimeoutError: it did not come in time.
            Exception: the message cannot be read; it is left out.
        """
        try:
            header, descriptors, _, _ = socket.recv_fds(self.end, _HEADER.size, MOST_DESCRIPTORS)
            header += self._exactly(_HEADER.size - len(header)) if header else b""
            if not header:
                raise ChannelClosed
            size, _ = _HEADER.unpack(header)
            data = self._exactly(size)
        except TimeoutError:
            raise
        except OSError as e:
            raise ChannelClosed from e
        return self._loads(data), descriptors

    def _exactly(self, size: int) -> bytes:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            count = self.end.recv_into(view)
            if not count:
                raise ChannelClosed
            view = view[count:]
        return bytes(data)


class _Plain(pickle.Unpickler):
    """Makes objects of this package and of plain Python; classes of the child's own packages are not imported here."""

    def find_class(self, module: str, name: str) -> Any:
        """As of ``Unpickler``.

        Raises:
            UnpicklingError: the object is of another package.
        """
        if (module, name) == ("builtins", "getattr"):
            return _member
        found = super().find_class(module, name) if _is_known(module, name) else None
        if found is None or (module.startswith("lite_delegate") and not isinstance(found, type)):
            raise pickle.UnpicklingError(f"{module}.{name}")
        return found


def _member(enum: object, name: str) -> Enum:
    """The member of an enumeration. Python 3.11.0 to 3.11.3 pickle members as ``getattr(enum, name)``.

    Raises:
        UnpicklingError: it is no member of an enumeration.
    """
    if isinstance(enum, type) and issubclass(enum, Enum) and name in enum.__members__:
        return enum[name]
    raise pickle.UnpicklingError(f"builtins.getattr of {enum!r} and {name!r}")


_BUILT_IN = ("bytearray", "complex", "frozenset", "range", "set", "slice")


def _is_known(module: str, name: str) -> bool:
    package = module.partition(".")[0]
    if package == "numpy":
        return name in ("dtype", "scalar", "ndarray", "_reconstruct")
    return package == "lite_delegate" or (module == "builtins" and name in _BUILT_IN) or module == "pathlib"


def plain_loads(data: bytes) -> Any:
    """The message of bytes that a delegate's process sent.

    Raises:
        UnpicklingError: it has an object that cannot be made here, or whose class is not of this package.
    """
    try:
        return _Plain(io.BytesIO(data)).load()
    except pickle.UnpicklingError:
        raise
    except Exception as e:  # objects of the delegate may be anything
        raise pickle.UnpicklingError(shown(e)) from e

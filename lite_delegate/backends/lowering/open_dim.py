"""OpenDim: a dimension that an emitter must not rely on."""

from __future__ import annotations

from typing import NoReturn


class ShapeIsOpen(Exception):
    """Raised where the model to be written depends on an open dimension."""


class OpenDim:
    """A dimension that differs from plan to plan: code that uses its value writes a model for one plan only.

    Emitters may hand it to ``as_open`` alone. Any other use raises ShapeIsOpen.
    """

    def __index__(self) -> NoReturn:
        raise ShapeIsOpen

    __int__ = __float__ = __bool__ = __hash__ = __index__

    def _compared(self, other: object) -> NoReturn:
        raise ShapeIsOpen

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compared
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __rmod__ = __floordiv__ = _compared
    __rfloordiv__ = _compared


def as_open(dim: object) -> int:
    """A dimension as runtimes have it: -1 for an open one."""
    return -1 if isinstance(dim, OpenDim) else int(dim)  # type: ignore[call-overload]

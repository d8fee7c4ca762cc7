"""InHand: the kernels that a delegate works on while it builds, as far as its questions tell."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Kernel


class InHand:
    """The kernels that a delegate took in hand since its build began. Where the build raises, it is blamed for:

    1. the stretch of the ``replace`` that was rejected, if the rejection is what came out of the build, or its cause;
    2. else every stretch whose boundary it had asked for;
    3. else the last stretch that it had cut out of the model.

    Kernels that the delegate has replaced since are no longer in its hand; the caller knows them.
    """

    def __init__(self) -> None:
        self._rejected: tuple[tuple[Kernel, ...], Exception] | None = None
        self._asked: set[Kernel] = set()
        self._sliced: tuple[Kernel, ...] = ()

    def asked(self, run: Sequence[Kernel]) -> None:
        """Notes that the delegate asked for the boundary of a stretch."""
        self._asked.update(run)

    def sliced(self, run: Sequence[Kernel]) -> None:
        """Notes that the delegate cut a stretch out of the model."""
        self._sliced = tuple(run)

    def replaced(self, run: Sequence[Kernel]) -> None:
        """Notes that the delegate replaced a stretch."""
        self._asked.difference_update(run)
        if not set(run).isdisjoint(self._sliced):
            self._sliced = ()

    def rejected(self, run: Sequence[Kernel], error: Exception) -> None:
        """Notes that the delegate tried to replace a stretch and broke a rule."""
        self._rejected = tuple(run), error

    def kernels(self, error: Exception) -> set[Kernel]:
        """The kernels that it had in hand when its build raised; empty where nothing tells."""
        if self._rejected is not None and _led_to(self._rejected[1], error):
            return set(self._rejected[0])
        return self._asked or set(self._sliced)


def _led_to(cause: Exception, error: Exception) -> bool:
    """True if ``error`` is ``cause``, or was raised because of it or while it was handled."""
    each: BaseException | None = error
    seen: set[int] = set()
    while each is not None and each is not cause and id(each) not in seen:
        seen.add(id(each))
        each = each.__cause__ or each.__context__
    return each is cause

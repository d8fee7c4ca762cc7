"""Session: the delegates of a compiled model, initialized once and closed once."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from ...basics.failures import said
from ...basics.unforeseen import FAILURES
from ...delegate import Delegate
from ...delegate.calls.calls import initialize
from ...errors import DelegateBuildError, DelegateError, DelegateUnavailable
from .shared import Shared

_log = logging.getLogger("lite_delegate")


class Session:
    """Delegates from when they are initialized until the last plan that was made with them has gone.

    All plans of a compiled model, for whatever shapes, have one session. A model that has lost its device needs another
    session: only a new initialization brings a device back.

    Args:
        delegates: in order of preference.
        away: the delegates whose device is not there, by name, with the error of their ``init``. They are not closed.

    Attributes:
        absent: the delegates of ``away`` that compile nothing.
        off_device: the delegates of ``away`` that compile for a device elsewhere; their graph kernels do not run here.
    """

    def __init__(self, delegates: Sequence[Delegate], away: Mapping[str, DelegateUnavailable]) -> None:
        self.delegates = tuple(delegates)
        compiling = [each.name for each in delegates if each.name in away and each.compiles_off_device]
        self.off_device = {name: away[name] for name in compiling}
        self.absent = {name: error for name, error in away.items() if name not in compiling}
        opened = [delegate for delegate in delegates if delegate.name not in away]
        self._shared = Shared(lambda: close_all(opened), "the session")

    def serves(self, delegates: Sequence[Delegate]) -> bool:
        """True if it is for these delegates."""
        return self.delegates == tuple(delegates)

    def share(self) -> Shared:
        """One more plan that is made with it, to be let go."""
        return self._shared.share()

    def let_go(self) -> None:
        """Ends the owner's use of the session; other users keep it open."""
        self._shared.let_go()


def open_session(delegates: Sequence[Delegate]) -> Session:
    """Initializes delegates, in order.

    Raises:
        DelegateError: initializing a delegate failed; the delegates before it are closed again.
    """
    opened: list[Delegate] = []
    away: dict[str, DelegateUnavailable] = {}
    for delegate in delegates:
        try:
            error = _initialized(delegate)
        except BaseException:
            close_all(opened)
            raise
        if error is None:
            opened.append(delegate)
        else:
            away[delegate.name] = error
    return Session(delegates, away)


def close_all(delegates: Sequence[Delegate]) -> None:
    """Closes delegates, the last one first. Errors are logged, and the remaining delegates are closed all the same."""
    for delegate in reversed(delegates):
        try:
            delegate.close()
        except FAILURES as e:  # a delegate's own code may raise anything, and nobody can do anything about it
            _log.warning("delegate '%s' could not be closed: %s", delegate.name, said(e))


def _initialized(delegate: Delegate) -> DelegateUnavailable | None:
    """Initializes a delegate. Gives the error that says so if its device is not there."""
    try:
        initialize(delegate)
    except DelegateUnavailable as e:
        return e
    except DelegateError:
        raise
    except FAILURES as e:
        raise DelegateBuildError(f"Delegate '{delegate.name}': init failed: {said(e)}.") from e
    return None


def versions_of(delegates: Sequence[Delegate]) -> dict[str, str]:
    """The versions that graph kernels of delegates depend on now, by name.

    Raises:
        DelegateBuildError: a delegate cannot say.
    """
    versions = {}
    for delegate in delegates:
        try:
            versions[delegate.name] = str(delegate.version())
        except FAILURES as e:  # a delegate's own code may raise anything
            raise DelegateBuildError(f"Delegate '{delegate.name}': asking for its version failed: {said(e)}.") from e
    return versions

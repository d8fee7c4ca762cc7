"""Whether the device of a delegate is there."""

from __future__ import annotations

from ...basics.failures import said
from ...basics.unforeseen import FAILURES
from ...delegate import Delegate
from ...delegate.calls.calls import initialize


def why_absent(delegate: Delegate) -> str:
    """The reason why a delegate's device is not there, "" where it is.

    1. A delegate with ``Delegate.probe`` is asked, and not initialized.
    2. Any other delegate is initialized and closed.
    3. The device of a delegate that raises an error is not there; the error is the reason.
    """
    try:
        reason = delegate.probe()
        if reason is None:
            initialize(delegate)
            delegate.close()
            return ""
    except FAILURES as e:  # a delegate's own code may raise anything
        return str(e) or said(e)
    return reason

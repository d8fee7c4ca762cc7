"""ControlFlow: what loops and choices have in common."""

from __future__ import annotations


class ControlFlow:
    """The bodies of a loop or a choice: ``Branches`` or ``Rounds``."""

    __slots__ = ()

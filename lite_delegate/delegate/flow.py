"""ControlFlow: what loops and choices have in common."""

from __future__ import annotations


class ControlFlow:
    """What a loop or a choice runs: ``Branches`` or ``Rounds``."""

    __slots__ = ()

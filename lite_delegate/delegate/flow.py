"""ControlFlow: the common base of loops and choices."""

from __future__ import annotations


class ControlFlow:
    """The bodies of a loop or a choice: ``Branches`` or ``Rounds``."""

    __slots__ = ()

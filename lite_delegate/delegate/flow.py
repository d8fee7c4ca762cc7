"""ControlFlow: the common base of loops and choices."""

from __future__ import annotations

from ..basics.words.one_line import OneLine


class ControlFlow(OneLine):
    """The bodies of a loop or a choice: ``Branches`` or ``Rounds``."""

    __slots__ = ()

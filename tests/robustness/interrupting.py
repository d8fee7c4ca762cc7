"""KeyboardInterrupt at every point of a call at which CPython itself can raise it."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from types import CodeType, FrameType
from typing import Any

LOOKED_AT = frozenset({"CALL", "CALL_FUNCTION_EX", "RESUME", "JUMP_BACKWARD"})
"""The instructions after which the interpreter looks whether a signal came."""


class InterruptAt:
    """Raises KeyboardInterrupt at the n-th point of a call.

    Attributes:
        place: the file and line of it; "" where the call has fewer points.
    """

    def __init__(self, number: int) -> None:
        self._left = number
        self.place = ""

    def call(self, function: Callable[[], Any]) -> bool:
        """Calls the function; whether it was interrupted."""
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            function()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        if "lite_delegate" not in frame.f_code.co_filename or self.place:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._step

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode" and not self.place and frame.f_lasti in points(frame.f_code):
            self._left -= 1
            if self._left < 0:
                self.place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                raise KeyboardInterrupt
        return self._step


@cache
def points(code: CodeType) -> frozenset[int]:
    """The offsets behind instructions after which a signal is looked for, with the same handler as these."""
    table: list[Any] = dis._parse_exception_table(code)  # type: ignore[attr-defined]

    def handler(offset: int) -> int | None:
        return next((each.target for each in table if each.start <= offset < each.end), None)

    found = list(dis.get_instructions(code))
    return frozenset(
        after.offset
        for before, after in pairwise(found)
        if before.opname in LOOKED_AT and handler(before.offset) == handler(after.offset)
    )

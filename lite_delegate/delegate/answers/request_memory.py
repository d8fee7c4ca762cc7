"""RequestMemory: the memory of a graph kernel on its device for one request."""

from __future__ import annotations

from collections.abc import Callable

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief


@dataclass(frozen=True, slots=True, eq=False)
class RequestMemory(Brief):
    """The memory that a graph kernel has taken on its device for one request.

    Attributes:
        nbytes: of the device's memory.
        give_back: called once when the request is gone, from any thread. An error is logged.
    """

    nbytes: int
    give_back: Callable[[], object]

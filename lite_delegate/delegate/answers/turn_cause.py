"""TurnCause: why a run waits for the device."""

from __future__ import annotations

from enum import StrEnum


class TurnCause(StrEnum):
    """Why a run waits for the device; a graph kernel reports it as the name of an ENQUEUE span around the waiting.

    1. OTHER_REQUEST: the device computes for another request of the same model.
    2. OTHER_PROGRAM: it computes something else.
    3. BATCH: the run waits for others that it is to be computed together with.
    """

    OTHER_REQUEST = "other request of this model"
    OTHER_PROGRAM = "other program"
    BATCH = "batch"

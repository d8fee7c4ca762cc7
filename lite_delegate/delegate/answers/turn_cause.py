"""TurnCause: why a run waits for the device."""

from __future__ import annotations

from enum import StrEnum


class TurnCause(StrEnum):
    """Why a run waits for the device; a graph kernel reports it as the name of an ENQUEUE span around the waiting.

    1. OTHER_REQUEST: the device computes for another request of the same model.
    2. OTHER_PROGRAM: the device computes another program.
    3. BATCH: the run waits for the other runs of its batch.
    """

    OTHER_REQUEST = "other request of this model"
    OTHER_PROGRAM = "other program"
    BATCH = "batch"

"""Loss: the digits that one kernel loses, as data."""

from __future__ import annotations

import math

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..runtime.records import SourceRecord

BIT_DB = 20 * math.log10(2)
"""A binary digit in dB: each halves the noise."""


@dataclass(frozen=True, slots=True)
class Loss(Brief):
    """The digits that one kernel loses.

    Attributes:
        kernel: the node's name.
        type: its operator.
        subgraph: the graph kernel that it is in.
        call: which run of it in the prediction, from 1.
        in_db: signal-to-noise ratio in dB of the worst that it reads, in the rounded reference run against the exact
            one; at most what the storage type can hold.
        out_db: of the worst that it gives.
        device_in_db: the same on the device, by a prefix of the subgraph that ends at the kernel; None: not tried.
        device_out_db: the same.
        note: why the prefix could not be tried, "" otherwise.
        sources: what the node was in the model file.
    """

    kernel: str
    type: str
    subgraph: str
    call: int
    in_db: float
    out_db: float
    device_in_db: float | None = None
    device_out_db: float | None = None
    note: str = ""
    sources: tuple[SourceRecord, ...] = ()

    @property
    def lost_db(self) -> float:
        """The accuracy lost between the kernel's inputs and its outputs, in dB."""
        return self.in_db - self.out_db

    @property
    def lost_bits(self) -> float:
        """The accuracy lost between the kernel's inputs and its outputs, in binary digits."""
        return self.lost_db / BIT_DB

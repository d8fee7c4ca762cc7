"""The places of buffers: the two memories of the device, and regions of them."""

from __future__ import annotations

from enum import StrEnum

from ....basics.data_class import dataclass

ALIGNMENT = 64
"""Bytes: a buffer starts at a multiple, and takes up a multiple."""


class MemoryKind(StrEnum):
    """DRAM holds the contents between runs and buffers that do not fit elsewhere, SCRATCHPAD the computed buffers."""

    DRAM = "dram"
    SCRATCHPAD = "scratchpad"


@dataclass(frozen=True, slots=True)
class MemoryRegion:
    """The place of a buffer.

    Attributes:
        memory: DRAM or scratchpad.
        offset: the offset of the first element, in bytes from the start of the program's part of the memory.
        part_of: -1, or the buffer of which this one is a part: elements that are neighbors along the last axes are
            neighbors in memory, lines of them lie as far apart as in the whole. A ``Join`` completes the whole.
    """

    memory: MemoryKind
    offset: int
    part_of: int = -1


@dataclass(frozen=True, slots=True)
class Capacity:
    """Sizes of a device's memories in bytes; None: as much as is asked for.

    Attributes:
        dram: for all programs that are loaded.
        scratchpad: for the program that runs, of all compute tiles together.
    """

    dram: int | None = None
    scratchpad: int | None = None


def aligned(nbytes: int) -> int:
    """The bytes that a buffer of ``nbytes`` takes up: the next multiple of ``ALIGNMENT``, never 0."""
    return max(1, -(-nbytes // ALIGNMENT)) * ALIGNMENT

"""Conformance cases of SpaceToBatch, expected values by a direct loop over every output element."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.blocks import TO_BATCH, block_cases, to_batch_loop


def cases() -> Iterator[ConformanceCase]:
    """One to three axes, uneven blocks, borders, batches, empty arrays, attributes and inputs, every dtype."""
    yield from block_cases("SpaceToBatch", to_batch_loop, TO_BATCH, ("block_size", "paddings"), 140)

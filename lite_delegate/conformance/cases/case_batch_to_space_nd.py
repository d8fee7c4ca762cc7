"""Conformance cases of BatchToSpaceND, expected values by a direct loop over every output element."""

from __future__ import annotations

from collections.abc import Iterator

from ..judging.case import ConformanceCase
from .families.blocks import FROM_BATCH, block_cases, from_batch_loop


def cases() -> Iterator[ConformanceCase]:
    """One to three axes, uneven blocks, borders, batches, empty arrays, attributes and inputs, every dtype."""
    yield from block_cases("BatchToSpaceND", from_batch_loop, FROM_BATCH, ("block_shape", "crops"), 22)

"""Memory that arrays give back once nobody holds them."""

from __future__ import annotations

from functools import cache

import numpy as np

KEPT_BLOCK_BYTES = (32 << 20) - (64 << 10)
"""A little less than the largest block by which glibc raises its thresholds, 32 MiB where pointers have 64 bits."""


@cache
def keep_freed_memory() -> None:
    """Lets the process keep freed memory for its next arrays, up to 64 MiB, instead of giving it back each time.

    Buffers of a model are made and freed again with every prediction. glibc gives memory at the end of its heap back
    to the system as soon as more is free than twice the largest block that it has seen freed, and the system then has
    to clear every page of it anew: a tenth of the time of ResNet-50. So glibc is shown one large block, once in each
    process. Nothing is written to the block, so it takes no memory. Other C libraries are not affected.

    Source: mallopt(3), M_MMAP_THRESHOLD, "dynamic mmap threshold".
    """
    np.empty(KEPT_BLOCK_BYTES, np.uint8)

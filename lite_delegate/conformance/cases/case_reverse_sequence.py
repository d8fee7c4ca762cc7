"""Conformance cases of ReverseSequence, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, ints, sample


def _loop(x: Array, lengths: list[int], seq: int, batch: int) -> Array:
    out = np.empty_like(x)
    for place in np.ndindex(*x.shape):
        length = lengths[place[batch]]
        position = place[seq]
        source = length - 1 - position if position < length else position
        out[place] = x[(*place[:seq], source, *place[seq + 1 :])]
    return out


def cases() -> Iterator[ConformanceCase]:
    """Both axes in either order and from either end, lengths 0 to all, ranks 2 to 5, empty arrays, every dtype."""
    rng = np.random.default_rng(121)
    for name, shape, lengths, seq, batch in [
        ("time_major", (4, 3), [1, 4, 2], 0, 1),
        ("batch_major", (3, 4), [3, 0, 4], 1, 0),
        ("rank_3_time_major", (5, 2, 3), [5, 3], 0, 1),
        ("rank_3_batch_major", (2, 5, 3), [2, 4], 1, 0),
        ("rank_3_last_axis", (2, 3, 6), [6, 1], 2, 0),
        ("rank_3_batch_last", (2, 4, 3), [4, 2, 3], 1, 2),
        ("rank_3_batch_after_sequence", (4, 2, 3), [2, 1, 4], 0, 2),
        ("rank_4_channels_17", (2, 3, 2, 17), [3, 2], 1, 0),
        ("rank_5", (2, 1, 3, 2, 2), [1, 2], 4, 0),
        ("negative_axes", (2, 3, 4), [4, 2, 0], -1, -2),
        ("one_position", (2, 1), [1, 0], 1, 0),
        ("one_element", (1, 1), [1], 1, 0),
        ("empty_sequence", (2, 0), [0, 0], 1, 0),
        ("empty_batch", (0, 3), [], 1, 0),
    ]:
        x = sample(rng, shape)
        attributes = {"seq_dim": seq, "batch_dim": batch}
        expected = _loop(x, lengths, seq % len(shape), batch % len(shape))
        yield exact("ReverseSequence", name, (x, ints(*lengths)), (expected,), attributes)
    x = sample(rng, (3, 4))
    for name, batch_dim, lengths in [("default_seq_dim", 1, [3, 0, 2, 1])]:
        inputs = (x, ints(*lengths, dtype="int64"))
        yield exact("ReverseSequence", name, inputs, (_loop(x, lengths, 0, batch_dim),), {"batch_dim": batch_dim}, {1})
    expected = _loop(x, [4, 1, 3], 1, 0)
    yield exact("ReverseSequence", "default_batch_dim", (x, ints(4, 1, 3)), (expected,), {"seq_dim": 1}, {1})
    for dtype in OTHER_DTYPES:
        x = sample(rng, (2, 3), dtype)
        inputs = (x, ints(2, 3))
        yield exact("ReverseSequence", f"dtype_{dtype}", inputs, (_loop(x, [2, 3], 1, 0),), {"seq_dim": 1})

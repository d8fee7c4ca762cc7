"""Conformance cases of Splice, expected values by a direct loop over every output element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, sample


def _loop(x: Array, parts: int, frames: tuple[int, ...]) -> Array:
    n, t, d = x.shape
    out = np.empty((n, t - parts + 1, parts * d), dtype=x.dtype)
    for image, frame, column in np.ndindex(*out.shape):
        part, within = divmod(column, d)
        out[image, frame, column] = x[image, frames[frame * parts + part], within]
    return out


def _neighbors(t: int, parts: int) -> tuple[int, ...]:
    return tuple(frame + part for frame in range(t - parts + 1) for part in range(parts))


def cases() -> Iterator[ConformanceCase]:
    """Contexts of 1 to 5 frames, neighbors and other orders, batches, frame sizes 1 to 17, empty, every dtype."""
    rng = np.random.default_rng(188)
    for name, shape, context in [
        ("one_frame", (1, 4, 3), (0,)),
        ("two_frames", (1, 5, 3), (0, 1)),
        ("three_frames", (1, 6, 7), (-1, 0, 1)),
        ("five_frames", (1, 9, 2), (-2, -1, 0, 1, 2)),
        ("as_many_as_there_are", (1, 3, 4), (-1, 0, 1)),
        ("batch", (3, 5, 2), (-1, 0, 1)),
        ("frames_of_1", (1, 4, 1), (0, 1)),
        ("frames_of_8", (1, 4, 8), (0, 1)),
        ("frames_of_16", (2, 3, 16), (0, 1)),
        ("frames_of_17", (2, 3, 17), (-1, 0)),
        ("empty_batch", (0, 4, 3), (0, 1)),
        ("empty_frames", (1, 4, 0), (0, 1)),
    ]:
        x, parts = sample(rng, shape), len(context)
        frames = _neighbors(shape[1], parts)
        attributes = {"context": context, "forward_indexes": frames, "output_dim": parts * shape[2]}
        yield exact("Splice", name, (x,), (_loop(x, parts, frames),), attributes)
    x = sample(rng, (2, 4, 3))
    for name, frames in [
        ("borders_repeated", (0, 0, 1, 2, 3, 3)),
        ("backwards", (3, 2, 2, 1, 1, 0)),
        ("one_frame_everywhere", (2,) * 6),
    ]:
        attributes = {"context": (-1, 1), "forward_indexes": frames, "output_dim": 6}
        yield exact("Splice", name, (x,), (_loop(x, 2, frames),), attributes)
    attributes = {"context": (0, 1), "forward_indexes": (0, 1, 1, 2), "output_dim": 4}
    for dtype in OTHER_DTYPES:
        x = sample(rng, (1, 3, 2), dtype)
        yield exact("Splice", f"dtype_{dtype}", (x,), (_loop(x, 2, (0, 1, 1, 2)),), attributes)

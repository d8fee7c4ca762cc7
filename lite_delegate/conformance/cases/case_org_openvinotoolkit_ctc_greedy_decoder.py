"""Conformance cases of org.openvinotoolkit.CTCGreedyDecoder, expected values by a loop over steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "org.openvinotoolkit.CTCGreedyDecoder"


def cases() -> Iterator[ConformanceCase]:
    """With and without merging, sequences that end early or are empty, repeats, blanks, equal classes, types."""
    rng = np.random.default_rng(741)

    def case(name: str, data: Array, lengths: Sequence[int] | None = None, merge: int | None = None) -> ConformanceCase:
        steps, batch, _ = data.shape
        ends = [steps] * batch if lengths is None else lengths
        mask = np.array([[step < end for end in ends] for step in range(steps)], data.dtype)
        attributes = {} if merge is None else {"ctc_merge_repeated": merge}
        return ConformanceCase(name, OP, (data, mask), (_loop(data, ends, merge != 0),), attributes)

    def steps_of(*classes: int, count: int = 4, dtype: str = "float32") -> Array:
        """One sequence whose largest classes are these."""
        data = rng.integers(-8, 0, (len(classes), 1, count)).astype(dtype)
        data[np.arange(len(classes)), 0, list(classes)] = 1
        return data

    def random(steps: int, batch: int, classes: int, dtype: str = "float32") -> Array:
        # Differences that float16 keeps, so that every type has the same largest class.
        places = [rng.permutation(classes) for _ in range(steps * batch)]
        return (np.array(places).reshape(steps, batch, classes) / 8).astype(dtype)

    yield case("merged", steps_of(0, 0, 1, 1, 1, 2))
    yield case("not_merged", steps_of(0, 0, 1, 1, 1, 2), merge=0)
    yield case("merged_by_attribute", steps_of(2, 2, 1), merge=1)
    yield case("blank_parts_repeats", steps_of(0, 3, 0, 0, 3, 3, 0))
    yield case("blank_parts_repeats_not_merged", steps_of(0, 3, 0, 0, 3, 3, 0), merge=0)
    yield case("blanks_only", steps_of(3, 3, 3))
    yield case("one_step", steps_of(1))
    yield case("blank_is_the_only_class", np.zeros((3, 2, 1), np.float32))
    yield case("several_sequences", random(12, 3, 6))
    yield case("sequences_end_early", random(9, 4, 5), (9, 4, 1, 7))
    yield case("empty_sequence", random(5, 2, 4), (0, 5))
    yield case("end_early_not_merged", random(9, 3, 3), (2, 9, 5), 0)
    yield case("equal_classes", np.ones((4, 2, 3), np.float32))
    yield case("many_classes", random(6, 2, 97))
    yield case("float16", random(7, 2, 5, "float16"))
    yield case("float64", random(7, 2, 5, "float64"), merge=0)


def _loop(data: Array, ends: Sequence[int], merged: bool) -> Array:
    steps, batch, classes = data.shape
    y = np.full((batch, steps, 1, 1), -1, data.dtype)
    for n, end in enumerate(ends):
        rows = [data[step, n].tolist() for step in range(end)]
        largest = [row.index(max(row)) for row in rows]
        kept = [c for c, _ in groupby(largest)] if merged else largest
        for place, c in enumerate(c for c in kept if c != classes - 1):
            y[n, place, 0, 0] = c
    return y

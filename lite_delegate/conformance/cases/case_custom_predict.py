"""Conformance cases of CustomPredict, expected values by counting votes in a dictionary."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import exact, ints

_KEYS = ints(1, 2, 4, 6, 7)
_LABELS = np.tile(ints(11, 12), (5, 1))
_WEIGHTS = np.tile(np.array([0.125, 0.25], dtype=np.float32), (5, 1))


def _loop(inputs: tuple[Array, ...], count: int, threshold: float) -> tuple[Array, Array]:
    x, keys, labels, weights = inputs
    votes: dict[int, np.float32] = {}
    for wanted in x.tolist():
        for key, names, shares in zip(keys.tolist(), labels.tolist(), weights, strict=True):
            if key == wanted:
                for name, share in zip(names, shares, strict=True):
                    votes[name] = votes.get(name, np.float32(0)) + share / np.float32(len(x))
    ranked = sorted(votes.items(), key=lambda vote: -vote[1])
    kept = [(name, weight) for name, weight in ranked if weight >= np.float32(threshold)][:count]
    kept += [(-1, np.float32(0))] * (count - len(kept))
    return ints(*(name for name, _ in kept)), np.array([weight for _, weight in kept], dtype=np.float32)


def _case(name: str, inputs: tuple[Array, ...], count: int, threshold: float) -> ConformanceCase:
    attributes = {"output_num": count, "weight_threshold": threshold}
    outputs = _loop(inputs, count, threshold)
    return exact("CustomPredict", name, inputs, outputs, attributes, constants={1, 2, 3})


def cases() -> Iterator[ConformanceCase]:
    """Votes that add up, fewer and more labels than asked for, thresholds, ties, empty inputs and tables."""
    table = (_KEYS, _LABELS, _WEIGHTS)
    for name, x, count, threshold in [
        ("two_hit", [1, 3, 7, 9], 2, 0.0),
        ("fewer_labels_wanted", [1, 3, 7, 9], 1, 0.0),
        ("more_labels_wanted", [1, 3, 7, 9], 5, 0.0),
        ("no_labels_wanted", [1, 3], 0, 0.0),
        ("one_below_the_threshold", [1, 3, 7, 9], 2, 0.1),
        ("at_the_threshold", [1, 3, 7, 9], 2, 0.125),
        ("all_below_the_threshold", [1, 3, 7, 9], 2, 0.5),
        ("none_hit", [0, 3, 5, 9], 3, 0.0),
        ("one_key_again_and_again", [4, 4, 4], 2, 0.0),
        ("no_inputs", [], 2, 0.0),
    ]:
        yield _case(name, (ints(*x), *table), count, threshold)
    rng = np.random.default_rng(42)
    for keys, items in [(1, 1), (8, 3), (17, 7), (64, 16)]:
        hashes = np.sort(rng.choice(1000, size=keys, replace=False)).astype(np.int32)
        labels = rng.integers(0, 20, size=(keys, items)).astype(np.int32)
        weights = rng.uniform(0, 1, size=(keys, items)).astype(np.float32)
        lookups = rng.choice(np.append(hashes, -5).astype(np.int32), size=9)
        yield _case(f"random_{keys}_keys_{items}_labels", (lookups, hashes, labels, weights), 6, 0.05)
    negative = np.array([[-0.5, 0.25], [1.0, -2.0]], dtype=np.float32)
    pair = (ints(-3, 5), np.array([[1, 2], [3, 1]], dtype=np.int32), negative)
    yield _case("weights_below_zero", (ints(-3, 5), *pair), 4, -1.0)
    yield _case("weights_below_zero_under_the_threshold", (ints(-3, 5), *pair), 4, 0.0)
    same = np.ones((3, 2), dtype=np.float32)
    yield _case(
        "ties_in_the_order_of_votes", (ints(6, 1), ints(1, 4, 6), ints(9, 3, 0, 0, 5, 3).reshape(3, 2), same), 4, 0.0
    )
    empty = (ints(), np.zeros((0, 2), dtype=np.int32), np.zeros((0, 2), dtype=np.float32))
    yield _case("no_keys", (ints(1, 2), *empty), 2, 0.0)
    twice = (ints(4, 4), ints(1, 2).reshape(2, 1), np.array([[0.5], [0.75]], dtype=np.float32))
    outputs = (ints(1, -1), np.array([0.5, 0], dtype=np.float32))
    attributes = {"output_num": 2, "weight_threshold": 0.0}
    yield exact("CustomPredict", "first_of_equal_keys", (ints(4), *twice), outputs, attributes, source="hand")

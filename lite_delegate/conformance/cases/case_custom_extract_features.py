"""Conformance cases of CustomExtractFeatures, hashes written down from Google's FarmHash."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from lite_delegate_kernels import pack_strings

from ..judging.case import ConformanceCase
from .samples import exact

LONG = b"the quick brown fox jumps over the lazy dog and then it runs away again"

# name, string, feature, weight
ROWS: list[tuple[str, bytes, int, int]] = [
    ("empty", b"", 397263, 1),
    ("bytes_1", b"a", 363939, 1),
    ("bytes_2", b"Hi", 145870, 1),
    ("bytes_3_no_text", b"\x00\xff\x00", 604778, 1),
    ("bytes_4", b"Hi !", 573169, 2),
    ("bytes_6", b"<S> Hi", 811448, 2),
    ("bytes_17_beyond_ascii", "grüße aus köln".encode(), 254970, 3),
    ("bytes_18", b"hello there friend", 923008, 3),
    ("bytes_32", b"x" * 32, 808517, 1),
    ("bytes_43", LONG[:43], 433619, 9),
    ("bytes_71", LONG, 389259, 15),
    ("one_space", b" ", 337555, 2),
    ("start", b"<S>", 0, 0),
    ("end", b"<E>", 0, 0),
    ("start_and_end", b"<S> <E>", 0, 0),
]


def cases() -> Iterator[ConformanceCase]:
    """Lengths for every branch of the hash, spaces, the marks that are no features, several strings and none."""
    for name, string, feature, weight in ROWS:
        yield _case(name, [string], [feature], [weight])
    many = [row[1:] for row in ROWS]
    yield _case("all_of_them", [r[0] for r in many], [r[1] for r in many], [r[2] for r in many])
    yield _case("no_strings", [], [0], [0])
    yield _case("constant", [b"Hi", b"<S>"], [145870, 0], [1, 0], constants=(0,))


def _case(
    name: str, strings: list[bytes], features: list[int], weights: list[int], constants: tuple[int, ...] = ()
) -> ConformanceCase:
    outputs = (np.array(features, dtype=np.int32), np.array(weights, dtype=np.float32))
    inputs = (pack_strings(strings),)
    return exact("CustomExtractFeatures", name, inputs, outputs, constants=constants, source="farmhash")

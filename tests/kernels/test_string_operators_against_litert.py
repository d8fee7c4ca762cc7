"""SkipGram and tables of strings against LiteRT (TensorFlow Lite)."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels import Array, pack_strings, unpack_strings

from tests.kernels.litert_node import run_litert
from tests.kernels.single_node import run


def _objects(*strings: bytes) -> Array:
    return np.array(strings, dtype=object)


@pytest.mark.parametrize("sentence", [b"the quick brown fox", b"a  b   c ", b"one two three four five six", b"a b c"])
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("skip", [0, 1, 3])
@pytest.mark.parametrize("include_all", [False, True])
def test_skip_gram(sentence: bytes, size: int, skip: int, include_all: bool) -> None:
    options = {"table": "SkipGramOptions", "ngramSize": size, "maxSkipSize": skip, "includeAllNgrams": include_all}
    (theirs,) = run_litert("SKIP_GRAM", (_objects(sentence),), options=options, output_dtype="object")
    attributes = {"ngram_size": size, "max_skip_size": skip, "include_all_grams": include_all}
    ours = unpack_strings(run("SkipGram", pack_strings([sentence]), **attributes))
    assert ours == theirs.tolist()


@pytest.mark.parametrize("lookups", [[30, 11, 10, 99, 20], [20], [10, 10, 30]])
def test_hashtable_lookup_of_strings(lookups: list[int]) -> None:
    x, keys = np.array(lookups, dtype=np.int32), np.array([10, 20, 30], dtype=np.int32)
    strings = [b"ten", b"", b"thirty and more"]
    inputs = (x, keys, _objects(*strings))
    found, hits = run_litert("HASHTABLE_LOOKUP", inputs, 2, output_dtype=("object", "uint8"))
    ours = run("HashtableLookup", x, keys, pack_strings(strings))
    assert unpack_strings(ours[0]) == found.tolist()
    np.testing.assert_array_equal(ours[1], hits, strict=True)

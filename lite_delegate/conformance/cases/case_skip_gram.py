"""Conformance cases of SkipGram, expected values by choosing words in every way and keeping what is near enough."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from lite_delegate_kernels import pack_strings

from ..judging.case import ConformanceCase
from .samples import exact

WORDS = "the quick brown fox jumps over"


def _loop(words: list[str], size: int, skip: int, all_sizes: bool) -> list[str]:
    grams = []
    for count in range(1 if all_sizes else size, size + 1):
        for chosen in itertools.combinations(range(len(words)), count):
            if all(b - a - 1 <= skip for a, b in itertools.pairwise(chosen)):
                grams.append(chosen)
    # The longer ones first among those that begin alike.
    grams.sort(key=lambda chosen: (*chosen, len(words)))
    return [" ".join(words[i] for i in chosen) for chosen in grams]


def _case(
    name: str, sentences: list[bytes], grams: list[bytes], size: int, skip: int, all_sizes: bool, source: str
) -> ConformanceCase:
    attributes = {"include_all_grams": all_sizes, "max_skip_size": skip, "ngram_size": size}
    return exact("SkipGram", name, [pack_strings(sentences)], [pack_strings(grams)], attributes, source=source)


def cases() -> Iterator[ConformanceCase]:
    """Every size with every number of words left out, sentences with odd spaces, bytes that are no text."""
    for size, skip, all_sizes in itertools.product((1, 2, 3), (0, 1, 2), (False, True)):
        grams = [g.encode() for g in _loop(WORDS.split(" "), size, skip, all_sizes)]
        name = f"size_{size}_skip_{skip}{'_all' if all_sizes else ''}"
        yield _case(name, [WORDS.encode()], grams, size, skip, all_sizes, "loop")
    for name, words, size, skip in [
        ("size_6_of_6_words", 6, 6, 0),
        ("skip_beyond_the_end", 4, 2, 100),
        ("one_word", 1, 1, 3),
    ]:
        given = WORDS.split(" ")[:words]
        grams = [g.encode() for g in _loop(given, size, skip, True)]
        yield _case(name, [" ".join(given).encode()], grams, size, skip, True, "loop")
    for name, sentences, expected, size, all_sizes in [
        ("too_few_words", [b"a b"], [], 3, False),
        ("too_few_words_all", [b"a b"], [b"a b", b"a", b"b"], 3, True),
        ("spaces_before_between_and_after", [b"  a b   c "], [b"a b", b"b c"], 2, False),
        ("tabs_part_no_words", [b"a\tb c"], [b"a\tb c"], 2, False),
        ("no_words", [b""], [], 1, True),
        ("only_spaces", [b"   "], [], 1, True),
        ("first_of_two_sentences", [b"a b", b"c d"], [b"a b"], 2, False),
        ("bytes_that_are_no_text", [b"\xff\x00 \xc3"], [b"\xff\x00 \xc3"], 2, False),
        ("words_alike", [b"a a a"], [b"a a", b"a a"], 2, False),
    ]:
        yield _case(name, sentences, expected, size, 0, all_sizes, "hand")
    yield _case("negative_skip", [b"a b"], [b"a", b"b"], 2, -1, True, "hand")

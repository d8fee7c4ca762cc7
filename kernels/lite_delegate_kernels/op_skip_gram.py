"""SkipGram: the word sequences of a sentence, with words left out between."""

from __future__ import annotations

from collections.abc import Iterator

from ._dtypes import check_dtype
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._strings import STRING, pack_strings, string_count, string_spec, unpack_strings

_SPACE = b" "


def skip_gram(x: Array, *, include_all_grams: bool = False, max_skip_size: int = 0, ngram_size: int = 0) -> Array:
    """Every sequence of words of the sentence, in their order, with at most some words left out between neighbors.

    Args:
        x: string tensor; its first string is the sentence, its words are parted by spaces.
        include_all_grams: whether sequences of fewer than ``ngram_size`` words count too.
        max_skip_size: how many words may be left out between two neighbors.
        ngram_size: the number of words, at least 1.

    Returns:
        String tensor of the sequences, their words joined by single spaces: by their first word's place, then the
        second's and so on; a sequence comes after the longer ones that begin with it.

    Raises:
        KernelInputError: ``x`` is no string tensor or has no string.

    NOTE: as MindSpore Lite: only spaces part words, and a sentence of fewer than ``ngram_size`` words has its
    shorter sequences where those count. TensorFlow Lite also parts words at tabs and line ends, gives nothing for
    such a sentence, and loses the first word after a leading space.
    """
    sentences = unpack_strings(x)
    _check_sentences(len(sentences))
    words = [word for word in sentences[0].split(_SPACE) if word]
    least = 1 if include_all_grams else ngram_size
    grams = _grams(len(words), least, ngram_size, max_skip_size + 1)
    return pack_strings([_SPACE.join(words[i] for i in gram) for gram in grams])


def _grams(words: int, least: int, most: int, step: int) -> Iterator[tuple[int, ...]]:
    """Places of ``least`` to ``most`` words, neighbors at most ``step`` apart; those that begin with one before it."""
    for first in range(words):
        gram, candidates = [first], [_next(first, words, step)]
        while candidates:
            following = next(candidates[-1], None) if len(gram) < most else None
            if following is None:
                if len(gram) >= least:
                    yield tuple(gram)
                gram.pop()
                candidates.pop()
            else:
                gram.append(following)
                candidates.append(_next(following, words, step))


def _next(place: int, words: int, step: int) -> Iterator[int]:
    return iter(range(place + 1, min(words, place + step + 1)))


def infer_skip_gram(x: ArraySpec, *, ngram_size: int) -> ArraySpec:
    """A string tensor; raises KernelInputError for an ``ngram_size`` below 1 and for a constant without strings."""
    check_dtype(x, (STRING,))
    if ngram_size < 1:
        raise KernelInputError(f"ngram_size must be at least 1, got {ngram_size}")
    _check_sentences(string_count(x))
    return string_spec()


def _check_sentences(count: int) -> None:
    if count == 0:
        raise KernelInputError("the sentence is missing, got a tensor without strings")


KERNEL = ReferenceKernel("SkipGram", skip_gram, infer_skip_gram, (STRING,))

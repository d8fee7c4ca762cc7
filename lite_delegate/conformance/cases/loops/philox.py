"""Philox4x32-10, one block of four words at a time, for case files of random operators.

Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011); TensorFlow's use of it for its seeds.
"""

from __future__ import annotations

import math


def _block(counter: list[int], key: list[int]) -> list[int]:
    words, keys = list(counter), list(key)
    for _ in range(10):
        left, right = words[0] * 0xD2511F53, words[2] * 0xCD9E8D57
        words = [
            right // 2**32 ^ words[1] ^ keys[0],
            right % 2**32,
            left // 2**32 ^ words[3] ^ keys[1],
            left % 2**32,
        ]
        keys = [(keys[0] + 0x9E3779B9) % 2**32, (keys[1] + 0xBB67AE85) % 2**32]
    return words


def words(count: int, seed: int, seed2: int) -> list[int]:
    """``count`` 32-bit words: blocks numbered from 0, in the upper half of the counter ``seed2``, keyed by ``seed``."""
    found: list[int] = []
    key = [seed % 2**32, seed // 2**32 % 2**32]
    for block in range(-(-count // 4)):
        counter = [block % 2**32, block // 2**32, seed2 % 2**32, seed2 // 2**32 % 2**32]
        found += _block(counter, key)
    return found[:count]


def uniforms(count: int, seed: int, seed2: int) -> list[float]:
    """``count`` numbers in [0, 1): the lowest 23 bits of each word over ``2 ** 23``."""
    return [word % 2**23 / 2**23 for word in words(count, seed, seed2)]


def normals(count: int, seed: int, seed2: int) -> list[float]:
    """``count`` normally distributed numbers, two from each pair of uniform ones (Box and Muller, 1958)."""
    drawn = uniforms(count + count % 2, seed, seed2)
    found: list[float] = []
    for first, second in zip(drawn[::2], drawn[1::2], strict=True):
        radius = math.sqrt(-2 * math.log(max(first, 1e-7)))
        found += [radius * math.sin(2 * math.pi * second), radius * math.cos(2 * math.pi * second)]
    return found[:count]

"""Damage at random: to the bytes of any file, and to what a text says."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable

Mutate = Callable[[random.Random, bytearray], None]

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_ODD_NUMBERS = (b"0", b"-1", b"1e999", b"NaN", b"2147483648", b"-9223372036854775808", b"99999999999999999999", b"0.5")
_ODD_VALUES = (b"null", b"true", b'""', b"[]", b"{}", b'"\\u0000"', b"[[[[]]]]", b'"npu"', b"\xff\xfe")


def cut(rng: random.Random, data: bytearray) -> None:
    """Cuts the end off."""
    del data[rng.randrange(len(data)) :]


def flip(rng: random.Random, data: bytearray) -> None:
    """Flips up to eight bits."""
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def scribble(rng: random.Random, data: bytearray) -> None:
    """Puts a number that is often wrong somewhere."""
    size = len(data)
    number = rng.choice([0, 1, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, size, max(size - 4, 0), rng.randrange(2**32)])
    place = rng.randrange(0, max(len(data) - 4, 1), 4)
    data[place : place + 4] = struct.pack("<I", number)


def redirect(rng: random.Random, data: bytearray) -> None:
    """Lets something that may be an offset point to another place, so that parts overlap."""
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(0, max(len(data) - 8, 1), 4)
        data[place : place + 4] = struct.pack("<I", rng.randrange(0, max(len(data) - place, 1), 4))


def blank(rng: random.Random, data: bytearray) -> None:
    """Sets a range to one value."""
    start = rng.randrange(len(data))
    end = min(start + rng.randint(1, 64), len(data))
    data[start:end] = bytes([rng.choice([0, 255])]) * (end - start)


def splice(rng: random.Random, data: bytearray) -> None:
    """Copies a range over another, or puts it between."""
    start, target = rng.randrange(len(data)), rng.randrange(len(data))
    piece = data[start : start + rng.randint(1, 128)]
    data[target : target + rng.choice([0, len(piece)])] = piece


def shift(rng: random.Random, data: bytearray) -> None:
    """Changes a two byte number a little: field offsets in vtables."""
    place = rng.randrange(0, max(len(data) - 2, 1), 2)
    number = struct.unpack_from("<H", data, place)[0] if place + 2 <= len(data) else 0
    data[place : place + 2] = struct.pack("<H", (number + rng.choice([-4, -2, -1, 1, 2, 4])) % 2**16)


def nudge(rng: random.Random, data: bytearray) -> None:
    """Changes one byte a little: small numbers, such as dimensions, kernel sizes and positions of tensors."""
    place = rng.randrange(len(data))
    data[place] = (data[place] + rng.choice([-2, -1, 1, 2, 64, 128])) % 256


def renumber(rng: random.Random, data: bytearray) -> None:
    """Puts another number where a text has one."""
    found = list(_NUMBER.finditer(data))
    if found:
        match = rng.choice(found)
        data[match.start() : match.end()] = rng.choice(_ODD_NUMBERS)


def retype(rng: random.Random, data: bytearray) -> None:
    """Puts a value of another type behind a colon or an equals sign."""
    found = list(re.finditer(rb"[:=]\s*([^,\n\]}]+)", data))
    if found:
        match = rng.choice(found)
        data[match.start(1) : match.end(1)] = rng.choice(_ODD_VALUES)


def lines(rng: random.Random, data: bytearray) -> None:
    """Leaves a line of a text out, puts it in twice, or elsewhere."""
    found = bytes(data).splitlines(keepends=True)
    line = found.pop(rng.randrange(len(found)))
    for _ in range(rng.randrange(3)):
        found.insert(rng.randrange(len(found) + 1), line)
    data[:] = b"".join(found)


BINARY: tuple[Mutate, ...] = (cut, flip, scribble, redirect, blank, splice, shift, nudge, nudge, nudge)
TEXT: tuple[Mutate, ...] = (cut, flip, blank, splice, nudge, renumber, retype, retype, lines)


def damage(rng: random.Random, content: bytes, mutations: tuple[Mutate, ...] = BINARY) -> bytes:
    """The content after one to three mutations."""
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if data:
            rng.choice(mutations)(rng, data)
    return bytes(data)

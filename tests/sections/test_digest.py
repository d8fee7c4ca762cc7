"""Digests in pieces, against hashlib piece by piece."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from lite_delegate.sections.digest import PIECE, digest_of, digest_of_file

SIZES = (0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5)


def _by_hand(content: bytes) -> str:
    whole = hashlib.blake2b(digest_size=32)
    while content:
        whole.update(hashlib.blake2b(content[:PIECE], digest_size=32).digest())
        content = content[PIECE:]
    return whole.hexdigest()


@pytest.mark.parametrize("size", SIZES)
def test_it_is_the_hash_over_the_hashes_of_the_pieces_in_order(size: int, tmp_path: Path) -> None:
    content = (b"0123456789abcdef#" * (size // 17 + 1))[:size]
    path = tmp_path / "content"
    path.write_bytes(content)
    assert digest_of(content) == _by_hand(content)
    digest, mapped = digest_of_file(path)
    assert (digest, bytes(mapped)) == (_by_hand(content), content)


@pytest.mark.parametrize("position", [0, PIECE - 1, PIECE, 2 * PIECE + 7])
def test_a_bit_at_any_place_changes_it(position: int) -> None:
    content = bytearray(2 * PIECE + 8)
    before = digest_of(content)
    content[position] ^= 1
    assert digest_of(content) != before


def test_pieces_that_change_places_change_it() -> None:
    first, second = bytes(PIECE), bytes([1]) * PIECE
    assert digest_of(first + second) != digest_of(second + first)


def test_a_file_that_cannot_be_read_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no such file"):
        digest_of_file(tmp_path / "absent")

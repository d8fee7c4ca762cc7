"""Damaged files of compiled models: every prefix, every byte, and random changes of several."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from lite_delegate import LiteDelegateError, ModelFormatError
from lite_delegate.inference.compiling.import_model import import_model
from lite_delegate.inference.model_file import FileVerdict, check_compatibility
from lite_delegate.sections import sections
from lite_delegate.sections.digest import digest_of
from lite_delegate.sections.sections import open_sections, sectioned_bytes
from tests.inference.model_file.models import ExportingDelegate, compiled, settings

DATA = compiled(ExportingDelegate()).export_model()


def rejected(data: bytes) -> str:
    with pytest.raises(ModelFormatError) as caught:
        import_model(data, settings(ExportingDelegate()))
    assert check_compatibility(data, [ExportingDelegate()]).verdict is FileVerdict.NOT_SUPPORTED
    return str(caught.value)


def test_every_prefix_is_rejected_with_both_lengths() -> None:
    start = 4096
    lengths = [*range(256), *range(256, len(DATA), 61), *range(len(DATA) - 64, len(DATA))]
    for length in lengths:
        text = rejected(DATA[:length])
        if 48 <= length < start:
            assert f"truncated: {length:,} of " in text
        if length >= start:
            assert f"truncated: {length:,} of {len(DATA):,} bytes" in text


def test_more_bytes_than_were_written_are_rejected() -> None:
    assert "expected" in rejected(DATA + b"\0")


def test_every_changed_byte_is_found() -> None:
    for position in [*range(256), *range(256, len(DATA), 37)]:
        data = bytearray(DATA)
        data[position] ^= 0x41
        rejected(bytes(data))


def test_a_changed_section_is_named() -> None:
    data = bytearray(DATA)
    data[-1000] ^= 1
    assert "section 'constants' is not what was written: its BLAKE2b differs" in rejected(bytes(data))


def test_a_section_that_somebody_checks_meanwhile_is_not_hashed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = []

    def slowly(content: memoryview, *more: Any) -> str:
        hashed.append(len(content))
        time.sleep(0.02)
        return digest_of(content, *more)

    monkeypatch.setattr(sections, "digest_of", slowly)
    file = open_sections(DATA)
    checker = file.checking()
    for name in file.sections:
        file.section(name)
    checker.wait()
    assert sorted(hashed) == sorted(each.length for each in file.sections.values())


def test_random_changes_are_found() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        data = bytearray(DATA)
        for position in rng.integers(len(data), size=int(rng.integers(1, 5))):
            data[position] ^= int(rng.integers(1, 256))
        if bytes(data) != DATA:
            rejected(bytes(data))


@pytest.mark.parametrize("name", ["plan", "record", "graph", "kernel/0", "constants"])
@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"null", bytes(64), b'{"graphs": 3, "sources": []}'])
def test_well_formed_files_of_other_contents_are_rejected(name: str, content: bytes) -> None:
    file = open_sections(DATA)
    found = {each: bytes(file.section(each)) for each in file.sections}
    data = sectioned_bytes(file.fields, {**found, name: content})
    with pytest.raises(LiteDelegateError):
        import_model(data, settings(ExportingDelegate()))

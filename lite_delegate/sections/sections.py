"""Sectioned files, which compiled models are kept in: a header in clear, and sections that are checked before use.

Little-endian: ``MAGIC``, the version of this layout (4 bytes), the length of the header (4 bytes), the SHA-256 of these
and the header (32 bytes), the header as canonical JSON; then the sections, each at a multiple of ``PAGE``, so that they
can be mapped. Between them are zeros. The header says where each section is, and its digest over those of its
pieces, see ``digest_of``. Nothing is executable.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.opening import open_regular
from ..errors import ModelFormatError
from ..flatbuffer.mapping import map_file, release_pages
from ..flatbuffer.problem import FormatProblem
from .digest import digest_of

MAGIC = b"LDMODEL\x1a"
FORMAT_VERSION = 3
PAGE = 4096
MOST_HEADER = 2**26
"""Bytes that a header may have."""
LARGE = 2**18
"""Bytes of a part whose memory is given back once it was checked: it may not be read again, or elsewhere."""
_HEAD = struct.Struct("<8sII32s")
Bytes = bytes | bytearray | memoryview


@dataclass(frozen=True, slots=True)
class Section:
    """Where a section is, from the end of the header on, and the digest of its contents."""

    name: str
    offset: int
    length: int
    blake2b: str

    def __post_init__(self) -> None:
        if not (isinstance(self.offset, int) and isinstance(self.length, int) and isinstance(self.name, str)):
            raise TypeError(f"section {self.name!r} at {self.offset!r} with {self.length!r} bytes")


class SectionedFile:
    """A file whose header was checked. A section is checked when it is first asked for; who asks meanwhile, waits.

    Args:
        fields: what the header says besides where the sections are.
        sections: in the order of the file.
        content: the whole file.
        start: where the sections begin in it.
        where: the file, for messages.
    """

    def __init__(
        self, fields: Mapping[str, Any], sections: Mapping[str, Section], content: memoryview, start: int, where: str
    ) -> None:
        self.fields = fields
        self.sections = sections
        self.where = where
        self._content = content
        self._start = start
        self._checked: set[str] = set()
        self._checking = {name: Lock() for name in sections}
        self._checker: Checker | None = None

    def __contains__(self, name: str) -> bool:
        return name in self.sections

    def section(self, name: str) -> memoryview:
        """The contents of a section, as a view.

        Raises:
            ModelFormatError: there is none of that name, or its contents are not those that were written.
        """
        if name not in self.sections:
            raise ModelFormatError(f"{self.where}: expected a section '{name}', found {', '.join(self.sections)}.")
        view = self._view(self.sections[name])
        with self._checking[name]:
            if name not in self._checked:
                self._check(name, view)
        return view

    def view(self, name: str) -> memoryview:
        """The contents of a section that ``check`` is yet to look at."""
        return self._view(self.sections[name])

    def check(self) -> None:
        """Checks all sections.

        Raises:
            ModelFormatError: the contents of a section are not those that were written.
        """
        for name in self.sections:
            self.section(name)

    def checking(self) -> Checker:
        """The checker that checks all sections from now on, in another thread."""
        if self._checker is None:
            self._checker = Checker(self)
        return self._checker

    def _view(self, section: Section) -> memoryview:
        begin = self._start + section.offset
        return self._content[begin : begin + section.length]

    def _check(self, name: str, view: memoryview) -> None:
        section = self.sections[name]
        if digest_of(view, partial(self._let_go, self._start + section.offset)) != section.blake2b:
            raise ModelFormatError(
                f"{self.where}: section '{name}' is not what was written: its BLAKE2b differs. The file is damaged."
            )
        self._checked.add(name)

    def _let_go(self, begin: int, start: int, length: int) -> None:
        """Gives back the memory of a part that was checked; of a small one it costs more than it is worth."""
        if length >= LARGE:
            release_pages(self._content, begin + start, length)


class Checker:
    """Checks the sections of a file while others use them.

    Args:
        file: its header was checked.
    """

    def __init__(self, file: SectionedFile) -> None:
        self._problem: ModelFormatError | None = None
        self._thread = Thread(target=self._check, args=(file,), name="lite-delegate-check", daemon=True)
        self._thread.start()

    def _check(self, file: SectionedFile) -> None:
        try:
            for name in reversed(tuple(file.sections)):  # the largest is the last
                file.section(name)
        except ModelFormatError as e:
            self._problem = e

    def wait(self) -> None:
        """Waits until all are checked.

        Raises:
            ModelFormatError: the contents of a section are not those that were written.
        """
        self._thread.join()
        if self._problem is not None:
            raise self._problem


def sectioned_bytes(fields: Mapping[str, Any], sections: Mapping[str, Bytes]) -> bytes:
    """A sectioned file; the same contents always give the same bytes.

    Args:
        fields: plain data for the header, without the key "sections".
        sections: contents by name, in the order of the file.
    """
    return b"".join(sectioned_pieces(fields, sections))


def sectioned_pieces(fields: Mapping[str, Any], sections: Mapping[str, Bytes]) -> Iterator[Bytes]:
    """The bytes of ``sectioned_bytes``, piece by piece."""
    records: list[dict[str, Any]] = []
    end = 0
    for name, content in sections.items():
        start, length = _up(end), memoryview(content).nbytes
        records.append({"name": name, "offset": start, "length": length, "blake2b": digest_of(content)})
        end = start + length
    header = canonical_json({**fields, "sections": records, "length": end})
    yield _HEAD.pack(MAGIC, FORMAT_VERSION, len(header), _header_digest(FORMAT_VERSION, header))
    yield header
    position = _HEAD.size + len(header) - _up(_HEAD.size + len(header))
    for record, content in zip(records, sections.values(), strict=True):
        yield bytes(record["offset"] - position)
        yield content
        position = record["offset"] + record["length"]
    if not records:
        yield bytes(-position)


def canonical_json(data: Any) -> bytes:
    """Plain data as JSON, one way for each: keys sorted, no spaces, ASCII."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def is_model_file(model: Path | Bytes) -> bool:
    """True for a sectioned file, or the bytes of one, by how it begins."""
    if not isinstance(model, Path):
        return bytes(model[: len(MAGIC)]) == MAGIC
    try:
        with open_regular(model) as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def open_sections(source: Bytes | str | os.PathLike[str]) -> SectionedFile:
    """A sectioned file in bytes, or at a path, which is mapped. The header is checked, the sections are not yet.

    Raises:
        ModelFormatError: it cannot be read, is no such file, was cut or altered, or a newer release wrote it.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _opened(memoryview(source).cast("B").toreadonly(), f"compiled model of {counted(len(source), 'byte')}")
    where = f"'{os.fspath(source)}'"
    try:
        return _opened(map_file(Path(source)), where)
    except FormatProblem as problem:
        raise ModelFormatError(f"{where}: {problem.reason}.") from problem


def _opened(content: memoryview, where: str) -> SectionedFile:
    length = _header_length(content, where)
    head = bytes(content[_HEAD.size : _HEAD.size + length])
    _, version, _, digest = _HEAD.unpack_from(content)
    if digest != _header_digest(version, head):
        raise ModelFormatError(f"{where}: the header is not what was written: its SHA-256 differs. It is damaged.")
    try:
        header = json.loads(head)
        sections = {each["name"]: Section(**each) for each in header.pop("sections")}
        end = int(header.pop("length"))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as e:
        raise ModelFormatError(f"{where}: its header is not one of a compiled model: {e}.") from e
    start = _up(_HEAD.size + length)
    if len(content) < start + end:
        raise ModelFormatError(f"{where}: truncated: {len(content):,} of {counted(start + end, 'byte')}.")
    if len(content) > start + end:
        raise ModelFormatError(f"{where}: expected {counted(start + end, 'byte')}, found {len(content):,}.")
    _check_gaps(content, _HEAD.size + length, start, sections.values(), where)
    return SectionedFile(header, sections, content, start, where)


def _header_length(content: memoryview, where: str) -> int:
    """The length of the header.

    Raises:
        ModelFormatError: it is no such file, another version of one, or shorter than its header.
    """
    start = bytes(content[: len(MAGIC)])
    if not start or not MAGIC.startswith(start):
        raise ModelFormatError(f"{where}: not a compiled model (starts with {start!r}, expected {MAGIC!r}).")
    if len(content) < _HEAD.size:
        raise ModelFormatError(f"{where}: truncated: {len(content):,} of at least {counted(_HEAD.size, 'byte')}.")
    _, version, length, _ = _HEAD.unpack_from(content)
    if version != FORMAT_VERSION:
        raise ModelFormatError(
            f"{where}: expected format version {FORMAT_VERSION}, found {version}: compile the model again, or use the "
            "release that wrote it."
        )
    if length > MOST_HEADER:
        raise ModelFormatError(
            f"{where}: its header must have at most {counted(MOST_HEADER, 'byte')}, found {length:,}."
        )
    if len(content) < _HEAD.size + length:
        raise ModelFormatError(
            f"{where}: truncated: {len(content):,} of at least {counted(_HEAD.size + length, 'byte')}."
        )
    return int(length)


def _check_gaps(content: memoryview, at: int, start: int, sections: Iterable[Section], where: str) -> None:
    """Checks that sections are behind each other, and that nothing is between them."""
    for section in sections:
        begin = start + section.offset
        if section.length < 0 or not at <= begin <= len(content):
            raise ModelFormatError(f"{where}: section '{section.name}' must be behind the one before it.")
        if begin - at > PAGE or any(content[at:begin]):
            raise ModelFormatError(f"{where}: there must be zeros before section '{section.name}'. It is damaged.")
        at = begin + section.length
    if at > len(content) or len(content) - at > PAGE or any(content[at:]):
        raise ModelFormatError(f"{where}: expected {counted(at, 'byte')}, found {len(content):,}.")


def _header_digest(version: int, header: bytes) -> bytes:
    return hashlib.sha256(struct.pack("<8sII", MAGIC, version, len(header)) + header).digest()


def _up(offset: int) -> int:
    return -(-offset // PAGE) * PAGE

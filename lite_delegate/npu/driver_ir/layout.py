"""DriverIR: the bytes of a run in the form that the driver's compiler takes, and the versions of the form.

Delegate and driver are released by themselves, so that either may be the older one: they speak the newest version that
both know. A version is a pair; with another first number nothing can be read, with a higher second one there is more.

- 1.0: all constants are inside.
- 1.1: large constants stay where they are, and are handed over by reference.

Little-endian: ``MAGIC``, the version (2 x 4 bytes), the lengths of options, graph and constants (3 x 8 bytes), the
SHA-256 of all this, the options and the graph (32 bytes, in place of which there are zeros while it is computed); the
options as JSON; the graph in the format of ``.ms`` files, at a multiple of ``ALIGNMENT``; the constants of version 1.0.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from typing import Any

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...errors import ModelFormatError

MAGIC = b"LDNPUIR\x1a"
Version = tuple[int, int]
INSIDE: Version = (1, 0)
BY_REFERENCE: Version = (1, 1)
VERSIONS: Sequence[Version] = (INSIDE, BY_REFERENCE)
"""The versions that this release writes and reads."""
ALIGNMENT = 16
_HEAD = struct.Struct("<8sIIQQQ32s")
_NO_DIGEST = bytes(32)


@dataclass(frozen=True, slots=True, eq=False)
class DriverIR:
    """A run for the driver's compiler.

    Attributes:
        content: the bytes.
        weights: the constants that are not in them, by number.
    """

    content: memoryview
    weights: Sequence[memoryview] = ()

    def key(self) -> str:
        """The hexadecimal SHA-256 of everything that is compiled: the driver's cache goes by it."""
        digest = hashlib.sha256(self.content)
        for each in self.weights:
            digest.update(each)
        return digest.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class LayoutParts:
    """The parts of an in-memory model's bytes.

    Attributes:
        version: the version of the bytes.
        options: the options, as plain data.
        graph: the graph in the format of ``.ms`` files.
        constants: the constants inside.
    """

    version: Version
    options: dict[str, Any]
    graph: memoryview
    constants: memoryview


def versions_of(texts: Sequence[str]) -> Sequence[Version]:
    """The versions that a profile lists; where it lists none, the versions of this release."""
    pairs = [each.split(".") for each in texts]
    return [(int(major), int(minor)) for major, minor in pairs] or VERSIONS


def agreed(theirs: Sequence[Version], mine: Sequence[Version] = VERSIONS) -> Version | None:
    """The newest version that both sides know; None without a common version."""
    return max(set(theirs) & set(mine), default=None)


def text_of(versions: Sequence[Version]) -> str:
    """Versions for people."""
    return ", ".join(f"{major}.{minor}" for major, minor in versions) or "none"


def written(version: Version, options: dict[str, Any], graph: bytes, constants: Sequence[memoryview]) -> bytes:
    """The bytes of parts."""
    said = json.dumps(options, sort_keys=True, separators=(",", ":")).encode()
    said += b" " * (-(_HEAD.size + len(said)) % ALIGNMENT)
    sizes = len(said), len(graph), sum(map(len, constants))
    head = _HEAD.pack(MAGIC, *version, *sizes, _NO_DIGEST)
    digest = _digest(head, said, graph)
    padding = bytes(-len(graph) % ALIGNMENT)
    return b"".join([_HEAD.pack(MAGIC, *version, *sizes, digest), said, graph, padding, *constants])


def parts_of(content: memoryview, known: Sequence[Version] = VERSIONS) -> LayoutParts:
    """The parts of bytes.

    Raises:
        ModelFormatError: they are none, were cut or altered, or are of a version that is not known.
    """
    if len(content) < _HEAD.size or bytes(content[: len(MAGIC)]) != MAGIC:
        raise ModelFormatError(f"In-memory model of {counted(len(content), 'byte')}: expected {MAGIC!r} at its start.")
    magic, major, minor, *sizes, digest = _HEAD.unpack_from(content)
    if (major, minor) not in known:
        raise ModelFormatError(
            f"In-memory model of version {major}.{minor}: this compiler takes {text_of(known)}. Update the driver, or "
            "use the release of the delegate that goes with it."
        )
    options_at = _HEAD.size
    graph_at = options_at + sizes[0]
    constants_at = graph_at + sizes[1] + -sizes[1] % ALIGNMENT
    expected = constants_at + sizes[2]
    if len(content) != expected:
        raise ModelFormatError(f"In-memory model: expected {counted(expected, 'byte')}, found {len(content):,}.")
    options, graph = content[options_at:graph_at], content[graph_at : graph_at + sizes[1]]
    if _digest(_HEAD.pack(magic, major, minor, *sizes, _NO_DIGEST), options, graph) != digest:
        raise ModelFormatError("In-memory model: its contents were altered, their SHA-256 differs.")
    return LayoutParts((major, minor), _plain(options), graph, content[constants_at:])


def _plain(options: memoryview) -> Any:
    try:
        return json.loads(bytes(options))
    except (ValueError, RecursionError) as e:
        raise ModelFormatError(f"In-memory model: its options are no JSON: {e}.") from None


def _digest(*parts: bytes | memoryview) -> bytes:
    digest = hashlib.sha256()
    for each in parts:
        digest.update(each)
    return digest.digest()

"""Part: the results of one chunk as a Parquet file, written whole."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...basics.data_class import dataclass
from ..pyarrow_package import pyarrow

FACTS = b"lite_delegate"
"""The key of the facts in the metadata of a part."""


@dataclass(frozen=True, slots=True)
class PartFacts:
    """The facts of a part, which stand in its file.

    Attributes:
        job: the key of the job.
        chunk: the index of the chunk.
        rows: of the chunk.
        errors: the rows without outputs.
        reasons: how many rows have each reason, the most frequent ones.
        seconds: of the work, without waiting for it.
        worker: who made it: host and process.
        note: what is to be said of the worker's model; "": nothing.
    """

    job: str
    chunk: int
    rows: int
    errors: int
    reasons: Mapping[str, int]
    seconds: float
    worker: str
    note: str = ""


def part_name(index: int) -> str:
    """The name of the part of a chunk; names sort as chunks do."""
    return f"part-{index:08d}.parquet"


def write_part(folder: Path, table: Any, facts: PartFacts) -> None:
    """Writes a part under a temporary name, flushes it to the disk, and renames it.

    Raises:
        OSError: the part cannot be written; nothing of it is left.
    """
    _write(folder, facts.chunk, lambda file: _encode(file, table, facts))


def write_sent_part(folder: Path, chunk: int, sent: Any) -> None:
    """As ``write_part``, for a part that another machine made by ``sent_part``."""
    _write(folder, chunk, lambda file: file.write(sent))


def sent_part(table: Any, facts: PartFacts) -> Any:
    """A part as a ``pyarrow.Buffer``, to be sent to the machine that writes it."""
    file = pyarrow().BufferOutputStream()
    _encode(file, table, facts)
    return file.getvalue()


def _encode(file: Any, table: Any, facts: PartFacts) -> None:
    from pyarrow import parquet

    text = json.dumps({name: getattr(facts, name) for name in PartFacts.__dataclass_fields__})
    table = table.replace_schema_metadata({FACTS: text})
    plain = [field.name for field in table.schema if not pyarrow().types.is_nested(_stored(field.type))]
    texts = [name for name in plain if not pyarrow().types.is_primitive(table.schema.field(name).type)]
    parquet.write_table(table, file, use_dictionary=texts, write_statistics=plain, store_schema=True)


def _write(folder: Path, chunk: int, fill: Callable[[Any], object]) -> None:
    target = folder / part_name(chunk)
    temporary = folder / f".{target.name}.{os.urandom(8).hex()}.tmp"
    try:
        with temporary.open("wb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as e:
        temporary.unlink(missing_ok=True)
        if isinstance(e, pyarrow().ArrowException):
            raise OSError(f"'{target}' cannot be written: {e}") from e
        raise


def _stored(kind: Any) -> Any:
    return kind.storage_type if isinstance(kind, pyarrow().BaseExtensionType) else kind


def read_facts(path: Path) -> PartFacts | None:
    """The facts of a part; None for a file that is no whole part.

    Raises:
        OSError: the file cannot be read now.
    """
    from pyarrow import parquet

    try:
        with path.open("rb") as file:
            metadata = parquet.read_metadata(file)
        said = json.loads((metadata.metadata or {})[FACTS])
        found = PartFacts(**{name: said[name] for name in PartFacts.__dataclass_fields__})
    except OSError as e:
        if e.errno is not None:
            raise
        return None
    except (pyarrow().ArrowException, KeyError, ValueError, TypeError):
        return None
    return found if metadata.num_rows == found.rows else None

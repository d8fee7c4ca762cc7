"""The subgraph that is the model: the one that a signature names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...errors import InputError
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """Where a model starts.

    Attributes:
        subgraph: the file's subgraph.
        outputs: positions of the outputs that the signature names; None for all.
    """

    subgraph: int = 0
    outputs: frozenset[int] | None = None


def choose(signatures: Iterable[Record] | None, wanted: str | None) -> EntryPoint:
    """The entry that a signature names.

    Args:
        signatures: of the file.
        wanted: the signature's key; None for the first, or for the first subgraph where there is none.

    Raises:
        InputError: there is no such signature; the message lists those that there are.
    """
    known = list(signatures or ())
    if wanted is None:
        return _entry(known[0]) if known else EntryPoint()
    for record in known:
        if record["signature_key"] == wanted:
            return _entry(record)
    names = ", ".join(f"'{r['signature_key'] or ''}'" for r in known[:20]) or "none"
    raise InputError(f"The model has no signature '{wanted}'; it has {names}.")


def _entry(record: Record) -> EntryPoint:
    outputs = frozenset(int(m["tensor_index"]) for m in record["outputs"] or ())
    if len(outputs) > 1 << 16:
        raise FormatProblem(f"expected up to {1 << 16} outputs, found {len(outputs)}", "signature_defs")
    return EntryPoint(int(record["subgraph_index"]), outputs or None)

"""Signatures: the subgraph that a signature names is the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...errors import InputError
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir import Signature, Value


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
        InputError: there is no such signature; the message lists the file's signatures.
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
        raise FormatProblem(f"expected up to {counted(1 << 16, 'output')}, found {len(outputs)}", "signature_defs")
    return EntryPoint(int(record["subgraph_index"]), outputs or None)


def signatures_of(
    signatures: Iterable[Record] | None,
    entry: EntryPoint,
    inputs: Sequence[tuple[int, Value]],
    outputs: Sequence[tuple[int, Value]],
) -> tuple[Signature, ...]:
    """The signatures of a file that call an entry, with the names of the entry's inputs and outputs.

    Args:
        signatures: of the file.
        entry: that was imported.
        inputs: of its graph, with the positions of their tensors in the file.
        outputs: the same of outputs.
    """
    return tuple(
        Signature(str(record["signature_key"] or ""), is_elsewhere=True)
        if _entry(record) != entry
        else Signature(
            str(record["signature_key"] or ""), _named(record["inputs"], inputs), _named(record["outputs"], outputs)
        )
        for record in signatures or ()
    )


def _named(maps: Iterable[Record] | None, values: Sequence[tuple[int, Value]]) -> dict[str, Value]:
    """Values by the names that a signature gives their tensors; a name of another tensor is of no use to a caller."""
    known = dict(values)
    pairs = ((str(each["name"] or ""), int(each["tensor_index"])) for each in maps or ())
    return {name: known[index] for name, index in pairs if index in known}

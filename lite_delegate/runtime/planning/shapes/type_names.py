"""The words by which a user may call operator types: the names in the schema, and the names in the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ....delegate import Kernel
from ....ir import Source
from ....ir.operator_names import format_of, plain_name
from ....partition import PartitionOptions

OPTIONS = ("deny_types", "allow_types")


def types_of(kernels: Iterable[Kernel]) -> dict[str, dict[str, None]]:
    """The operator types of a model that words stand for.

    1. The type of a kernel stands for it, and so does the type that a node of it has in the file.
    2. "QLinearAdd" stands for "com.microsoft.QLinearAdd" too: the name of an operator without its domain.
    """
    found: dict[str, dict[str, None]] = {}
    for kernel in kernels:
        for each in (kernel.type, *(source.op_type for source in kernel.sources)):
            for word in (each, each.rpartition(".")[2] or each):
                found.setdefault(word, {})[each] = None
    return found


def in_model_types(
    options: PartitionOptions, meanings: Mapping[str, Collection[str]], ours: Collection[str]
) -> PartitionOptions:
    """The options with types of the model in place of the user's words; unknown words stay.

    Args:
        options: the user's partition options.
        meanings: the operator types that each word stands for.
        ours: the operators of the ``.ms`` format.
    """

    def meant(words: Iterable[str]) -> frozenset[str]:
        stand_for = (_meaning(word, meanings) for word in words)
        found = {each: each for group in stand_for for each in group}
        unknown = (word for word in words if not _meaning(word, meanings) and not is_operator(word, ours))
        return frozenset((*found, *unknown))

    allowed = None if options.allow_types is None else meant(options.allow_types)
    return replace(options, allow_types=allowed, deny_types=meant(options.deny_types))


def is_operator(word: str, ours: Collection[str]) -> bool:
    """True for the name of an operator that some format has."""
    return word in ours or format_of(word) != ""


def unused_types(
    options: PartitionOptions, meanings: Mapping[str, Collection[str]], ours: Collection[str], removed: Sequence[Source]
) -> list[str]:
    """A note for each list of types, on the operators in it that the model has no node of.

    Args:
        options: the user's partition options, in the user's words.
        meanings: the operator types that each word stands for.
        ours: the operators of the ``.ms`` format.
        removed: the removed nodes of the file.
    """
    gone = {source.op_type for source in removed}
    notes = []
    for option in OPTIONS:
        words = sorted(getattr(options, option) or ())
        missing = [word for word in words if not _meaning(word, meanings) and is_operator(word, ours)]
        if missing:
            texts = ", ".join(f"'{word}'{_why(word, ours, gone)}" for word in missing)
            notes.append(f"Partition option {option}: no node of the model is a {texts}.")
    return notes


def _meaning(word: str, meanings: Mapping[str, Collection[str]]) -> Collection[str]:
    return meanings.get(word) or meanings.get(plain_name(word)) or ()


def _why(word: str, ours: Collection[str], gone: Collection[str]) -> str:
    if plain_name(word) in gone:
        return " any more (its results are constant, or were not needed)"
    return "" if word in ours else f" (an operator of {format_of(word)})"

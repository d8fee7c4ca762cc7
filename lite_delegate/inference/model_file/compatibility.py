"""Compatibility: whether a file of a compiled model can be imported here, without loading it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum

from ...basics.data_class import dataclass
from ...basics.failures import said
from ...basics.unforeseen import FAILURES
from ...delegate import Delegate
from ...errors import FallbackError, LiteDelegateError, ModelFormatError
from ...sections.sections import Bytes, open_sections
from .header import check_delegates, check_kind, check_versions, check_whole


class FileVerdict(StrEnum):
    """Whether the file of a compiled model can be used.

    1. SUPPORTED: importing it succeeds, as far as the file and the delegates are concerned.
    2. RECOMPILE: it is whole, but of another release or for another device: compile the model again.
    3. NOT_SUPPORTED: it is damaged, no compiled model, or split between the CPU and a device that has to run all.
    """

    SUPPORTED = "supported"
    RECOMPILE = "supported after recompiling"
    NOT_SUPPORTED = "not supported"


@dataclass(frozen=True, slots=True)
class Compatibility:
    """A verdict on the file of a compiled model, and what speaks against it, in words of the error of importing it."""

    verdict: FileVerdict
    reasons: tuple[str, ...] = ()


def check_compatibility(
    source: Bytes | str | os.PathLike[str], delegates: Sequence[Delegate], *, strict: bool = False
) -> Compatibility:
    """Whether a file can be imported with these delegates. It is read and hashed; nothing is loaded, no device opened.

    Args:
        source: the bytes of the file, or its path.
        delegates: as for importing, in order of preference; none for the CPU.
        strict: whether it is imported for a device that has to run all of it.
    """
    try:
        file = open_sections(source)
        check_kind(file)
    except ModelFormatError as e:
        return Compatibility(FileVerdict.NOT_SUPPORTED, (str(e),))
    reasons = []
    try:
        check_versions(file)
    except ModelFormatError as e:
        reasons.append(str(e))
    try:
        file.check()
        check_delegates(file, delegates)
        if strict:
            check_whole(file)
    except (ModelFormatError, FallbackError) as e:
        return Compatibility(FileVerdict.NOT_SUPPORTED, (*reasons, str(e)))
    except LiteDelegateError as e:
        reasons.append(str(e))
    except FAILURES as e:  # a delegate's own code may raise anything
        reasons.append(said(e))
    return Compatibility(FileVerdict.RECOMPILE if reasons else FileVerdict.SUPPORTED, tuple(reasons))

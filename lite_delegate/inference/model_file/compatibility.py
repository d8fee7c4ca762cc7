"""Compatibility: whether a file of a compiled model can be imported in this process, without loading the file."""

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
    """Whether the file of a compiled model can be imported.

    1. SUPPORTED: the file and the delegates allow the import.
    2. RECOMPILE: the file is whole, but from another release or for another device: compile the model again.
    3. NOT_SUPPORTED: the file is damaged or has no compiled model, or the CPU runs nodes of a model that its device
       must run whole.
    """

    SUPPORTED = "supported"
    RECOMPILE = "supported after recompiling"
    NOT_SUPPORTED = "not supported"


@dataclass(frozen=True, slots=True)
class Compatibility:
    """A verdict on the file of a compiled model; the reasons are the error messages that an import would have."""

    verdict: FileVerdict
    reasons: tuple[str, ...] = ()


def check_compatibility(
    source: Bytes | str | os.PathLike[str], delegates: Sequence[Delegate], *, strict: bool = False
) -> Compatibility:
    """Whether a file can be imported with some delegates. The file is read and hashed; no device is opened.

    Args:
        source: the bytes of the file, or its path.
        delegates: of the import, in order of preference; empty for the CPU.
        strict: whether the device of the import must run the whole model.
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

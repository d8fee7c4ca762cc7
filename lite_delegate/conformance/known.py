"""Known failures: a file with cases that are expected to fail, and the reason of each."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..basics.opening import read_regular
from ..basics.similar import did_you_mean
from ..errors import InputError
from .patterns.all import all_patterns
from .reports.results import CaseResult, Verdict
from .suite import all_cases

Known = Mapping[str, str]
NONE_KNOWN: Known = {}


def read_known(path: Path) -> Known:
    """The reasons by case id (``OPERATOR-CASE``, ``FAMILY-PATTERN``) of a TOML file of lines ``"ID" = "reason"``.

    Raises:
        InputError: it cannot be read, is no TOML, or has something else than such lines.
    """
    try:
        data = tomllib.loads(read_regular(path).decode())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as e:
        raise InputError(f"Cannot read the known failures in '{path}': {e}") from e
    for key, reason in data.items():
        if not isinstance(reason, str) or not reason.strip():
            raise InputError(f'{path}: expected lines like "Softmax-rank_4" = "the reason", got no text for \'{key}\'.')
    return data


def check_known(known: Known) -> None:
    """Checks that there is a case or a pattern for each id.

    Raises:
        InputError: an id that there is not.
    """
    if not known:
        return
    there = {f"{case.op_type}-{case.name}" for case in all_cases()}
    there |= {f"{pattern.family}-{pattern.name}" for pattern in all_patterns()}
    for case_id in known:
        if case_id not in there:
            raise InputError(
                f"Known failures: there is no case '{case_id}'{did_you_mean(case_id, sorted(there)) or '.'}"
            )


def with_known(results: Sequence[CaseResult], known: Known) -> list[CaseResult]:
    """The results, with the reason for those that are known to fail and do."""
    return [replace(r, known=known[r.id]) if r.id in known and r.verdict is Verdict.OVER_CLAIM else r for r in results]


def unexpected(results: Sequence[CaseResult], known: Known) -> tuple[str, ...]:
    """The ids of known failures that do not fail any more."""
    return tuple(r.id for r in results if r.id in known and r.verdict is not Verdict.OVER_CLAIM)

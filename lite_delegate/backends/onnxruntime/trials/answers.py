"""Answers of providers, kept in memory and in a file by the signatures of kernels."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path

from ....basics.data_class import dataclass


@dataclass(frozen=True, slots=True)
class TrialAnswer:
    """What came of a kernel's trial.

    Attributes:
        reason: why the provider does not run the kernel; "" where it does.
        rule: the limit in words that other kernels share.
    """

    reason: str
    rule: str = ""


class KeptAnswers:
    """Answers by signature.

    Args:
        folder: the folder of the file; None: nothing is written.
        version: the releases, the device and all settings that the answers hold for.
    """

    def __init__(self, folder: Path | None, version: str) -> None:
        name = blake2b(version.encode(), digest_size=12).hexdigest()
        self._file = None if folder is None else folder / f"trials-{name}.json"
        self._known: dict[str, TrialAnswer] = self._read()
        self._is_new = False

    def get(self, signature: str) -> TrialAnswer | None:
        """The answer for a signature, None where there is none."""
        return self._known.get(signature)

    def put(self, signature: str, answer: TrialAnswer) -> None:
        """Keeps an answer."""
        self._known[signature] = answer
        self._is_new = True

    def write(self) -> None:
        """Writes new answers, beside those that other processes wrote meanwhile. A folder without room is left as is:
        answers are found again."""
        if self._file is None or not self._is_new:
            return
        everything = {**self._read(), **self._known}
        data = json.dumps({signature: asdict(answer) for signature, answer in everything.items()}, indent=0)
        temporary = self._file.with_suffix(f".{os.getpid()}.tmp")
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(data)
            temporary.replace(self._file)
            self._is_new = False

    def _read(self) -> dict[str, TrialAnswer]:
        """The answers of the file; none where it is absent, or damaged."""
        if self._file is None:
            return {}
        try:
            found = json.loads(self._file.read_text())
            return {str(signature): _answer(fields) for signature, fields in found.items()}
        except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
            return {}


def _answer(fields: dict[str, str]) -> TrialAnswer:
    answer = TrialAnswer(**fields)
    if not all(isinstance(each, str) for each in fields.values()):
        raise ValueError(fields)
    return answer

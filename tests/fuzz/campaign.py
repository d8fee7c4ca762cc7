"""A campaign: workers one after another, what became of each mutation, and where to go on after an interruption."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lite_delegate.basics.files import write_whole
from tests.fuzz.worker import Corpus
from tests.worker_lines import worker_lines

CHUNK = 1_000
"""Mutations per worker: what a worker learns of the corpus, and what it may leak, ends with it."""
WALL_FACTOR = 20
"""Wall time per CPU second that a worker may take before it counts as hanging: other processes run beside it."""


@dataclass
class State:
    """What a campaign over one kind of file has done.

    Attributes:
        kind: of the files.
        done: mutations judged: those of the numbers below it.
        outcomes: how often each came.
        findings: numbers of the mutations that are findings.
    """

    kind: str
    done: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    findings: list[int] = field(default_factory=list)


class Campaign:
    """Mutations of one kind of file, judged in worker processes.

    Args:
        kind: of the files.
        folder: of the state, which survives the campaign; findings and the corpus are below it.
        seconds: CPU time for each file.
        megabytes: address space of a worker.
    """

    def __init__(self, kind: str, folder: Path, seconds: float = 20, megabytes: int = 8192) -> None:
        self._folder, self._seconds, self._megabytes = folder, seconds, megabytes
        self._kept = folder / "corpus" / kind
        self._file = folder / f"{kind}.json"
        self._kept.mkdir(parents=True, exist_ok=True)
        known = json.loads(self._file.read_text(encoding="utf-8")) if self._file.exists() else {"kind": kind}
        self.state = State(**known)

    def run(self, until: int) -> None:
        """Judges all mutations below a number that have not been."""
        state = self.state
        while state.done < until:
            for line in self._worker(state.done, min(until, state.done + CHUNK)):
                self._note(line)
            self._save()

    def _note(self, line: dict[str, Any]) -> None:
        self.state.done = line["number"] + 1
        finding = line.get("finding")
        outcome = line.get("outcome") or str(finding).strip().splitlines()[-1].split(":")[0]
        counts = Counter(self.state.outcomes)
        counts[outcome] += 1
        self.state.outcomes = dict(counts)
        if finding is not None:
            self._keep_finding(line["number"], finding)

    def _keep_finding(self, number: int, finding: str) -> None:
        self.state.findings.append(number)
        folder = self._folder / "findings"
        folder.mkdir(exist_ok=True)
        kind = self.state.kind
        (folder / f"{kind}-{number}.{kind}").write_bytes(Corpus(kind, self._kept).mutation(number))
        (folder / f"{kind}-{number}.txt").write_text(finding, encoding="utf-8")
        self._save()

    def _worker(self, start: int, stop: int) -> Iterator[dict[str, Any]]:
        """What a worker says, line by line; of the file at which it died, that."""
        command = [
            *(sys.executable, "-m", "tests.fuzz.worker", "--kind", self.state.kind, "--kept", str(self._kept)),
            *("--start", str(start), "--stop", str(stop)),
            *("--seconds", str(self._seconds), "--megabytes", str(self._megabytes)),
        ]
        return worker_lines(command, start, stop, (stop - start) * self._seconds * WALL_FACTOR)

    def _save(self) -> None:
        write_whole(self._file, json.dumps(asdict(self.state), indent=1).encode())

"""A campaign over random models: workers one after another, what became of each model, where to go on."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lite_delegate.basics.files import write_whole
from tests.random_models.configurations import CONFIGURATIONS
from tests.random_models.judging import Judgement, still
from tests.random_models.models import sample
from tests.random_models.sample import Sample
from tests.random_models.shrinking import shrunk
from tests.worker_lines import worker_lines

CHUNK = 50
"""Models per worker."""
WALL_FACTOR = 20
DIED = "worker died"


@dataclass
class State:
    """What a campaign has done.

    Attributes:
        configurations: the regular expression that chose them.
        done: models judged: those of the seeds below it.
        outcomes: how often each came, by configuration.
        findings: seed and configuration of each finding.
    """

    configurations: str
    done: int = 0
    outcomes: dict[str, dict[str, int]] = field(default_factory=dict)
    findings: list[tuple[int, str]] = field(default_factory=list)


class Campaign:
    """Random models in some configurations, judged in worker processes.

    Args:
        folder: of the state, which survives the campaign; findings are below it.
        configurations: a regular expression that chooses them.
        seconds: CPU time for each model.
        megabytes: address space of a worker.
        first: the seed to begin with, where there is no state.
    """

    def __init__(
        self, folder: Path, configurations: str = "", seconds: float = 120, megabytes: int = 16384, first: int = 0
    ) -> None:
        self._folder, self._seconds, self._megabytes = folder, seconds, megabytes
        self._file = folder / "models.json"
        folder.mkdir(parents=True, exist_ok=True)
        new = {"configurations": configurations, "done": first}
        self.state = State(**(json.loads(self._file.read_text(encoding="utf-8")) if self._file.exists() else new))

    def run(self, until: int) -> None:
        """Judges all models below a seed that have not been."""
        while self.state.done < until:
            for line in self._worker(self.state.done, min(until, self.state.done + CHUNK)):
                self._note(line)
                self._save()

    def _note(self, line: dict[str, Any]) -> None:
        seed = line["number"]
        died = [{"configuration": "process", "outcome": DIED, "detail": line.get("finding", "")}]
        for each in (Judgement(**found) for found in line.get("judgements", died)):
            counts = Counter(self.state.outcomes.get(each.configuration, {}))
            counts[each.outcome] += 1
            self.state.outcomes[each.configuration] = dict(counts)
            if each.is_finding:
                self.state.findings.append((seed, each.configuration))
                self._keep(seed, each)
        self.state.done = seed + 1

    def _keep(self, seed: int, found: Judgement) -> None:
        """Writes the model, made small, with its inputs, what is expected, and what was found."""
        whole = sample(seed)
        configuration = CONFIGURATIONS.get(found.configuration)
        small = whole if configuration is None else shrunk(whole, still(configuration, found.outcome))
        folder = self._folder / "findings" / f"{seed}-{found.configuration.replace(':', '-').replace(',', '-')}"
        folder.mkdir(parents=True, exist_ok=True)
        _write(small, folder)
        about = (
            f"seed {seed}, {found.configuration}: {found.outcome}\n{found.detail}\n\n{small.writer.text(small.content)}"
        )
        (folder / "about.txt").write_text(about, encoding="utf-8")

    def _worker(self, start: int, stop: int) -> Iterator[dict[str, Any]]:
        command = [
            *(sys.executable, "-m", "tests.random_models.worker", "--start", str(start), "--stop", str(stop)),
            *("--configurations", self.state.configurations),
            *("--seconds", str(self._seconds), "--megabytes", str(self._megabytes)),
        ]
        return worker_lines(command, start, stop, (stop - start) * self._seconds * WALL_FACTOR)

    def _save(self) -> None:
        write_whole(self._file, json.dumps(asdict(self.state), indent=1).encode())


def _write(found: Sample, folder: Path) -> None:
    (folder / f"model{found.writer.suffix}").write_bytes(found.content)
    arrays: dict[str, dict[str, Any]] = {
        "inputs": dict(found.inputs),
        "expected": dict(zip(found.outputs, found.expected, strict=True)),
    }
    for name, each in arrays.items():
        np.savez(folder / f"{name}.npz", **each)

"""A worker: a process that judges a stretch of mutations, with limits on its memory and on CPU time per file.

It prints a line of JSON for each file. Over its CPU time for a file it dies (SIGPROF), and so says what it was at.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import pickle
import random
import re
import resource
import signal
import sys
import traceback
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

from lite_delegate.basics.files import write_whole
from lite_delegate.basics.unforeseen import NO_MEMORY
from tests.fuzz.judges import judged, mutations_of
from tests.fuzz.mutations import damage
from tests.fuzz.seeds import seeds

MAX_KEPT = 3_000
"""Mutations kept as further seeds, by kind."""
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\([^)]*\)|[-+]?\d[\w.]*")


class Corpus:
    """Seeds, and mutations that had an outcome of which no earlier one had the like.

    Args:
        kind: of the files.
        folder: of the seeds, once they are made, and of such mutations, one file each, named by its number.
    """

    def __init__(self, kind: str, folder: Path) -> None:
        self._kind, self._folder = kind, folder
        self._seeds = _made_once(kind, folder)
        self._numbers: list[int] = []
        self._learned: list[bytes] = []
        self._seen: set[str] = set()
        for file in sorted(folder.glob("*.file"), key=lambda f: int(f.stem)):
            self._numbers.append(int(file.stem))
            self._learned.append(file.read_bytes())
            self._seen.add(file.with_suffix(".outcome").read_text(encoding="utf-8"))

    def mutation(self, number: int) -> bytes:
        """The mutation of that number, of a seed or of what was learned before: the same also later on."""
        rng = random.Random(f"{self._kind} {number}")
        known = bisect_left(self._numbers, number)
        pool, count = (self._seeds, len(self._seeds)) if not known or rng.random() < 0.6 else (self._learned, known)
        return damage(rng, pool[rng.randrange(count)], mutations_of(self._kind))

    def learn(self, number: int, content: bytes, outcome: str) -> None:
        """Keeps a mutation if nothing like its outcome came before."""
        signature = _QUOTED.sub("#", outcome)[:300]
        if signature in self._seen or len(self._seen) >= MAX_KEPT:
            return
        self._seen.add(signature)
        self._numbers.append(number)
        self._learned.append(content)
        (self._folder / f"{number}.outcome").write_text(signature, encoding="utf-8")
        (self._folder / f"{number}.file").write_bytes(content)


def _made_once(kind: str, folder: Path) -> list[bytes]:
    """The seeds, from the file that the first worker wrote them to."""
    file = folder / "seeds.pickle"
    if file.exists():
        found: list[bytes] = pickle.loads(file.read_bytes())
        return found
    folder.mkdir(parents=True, exist_ok=True)
    made = seeds(kind)
    write_whole(file, pickle.dumps(made))
    return made


def judge(corpus: Corpus, kind: str, number: int, seconds: float) -> dict[str, object]:
    """One mutation, judged: its outcome, or the traceback that it led to, which is a finding."""
    content = corpus.mutation(number)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        outcome = judged(kind, content)
        if NO_MEMORY in outcome:
            raise MemoryError(outcome)
    except BaseException:
        return {"number": number, "finding": traceback.format_exc()}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    corpus.learn(number, content, outcome)
    return {"number": number, "outcome": outcome.split(":")[0]}


def main(arguments: Sequence[str]) -> None:
    """Judges the mutations from ``--start`` to before ``--stop``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", required=True)
    parser.add_argument("--start", type=int, required=True)
    parser.add_argument("--stop", type=int, required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--megabytes", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args(arguments)
    corpus = Corpus(options.kind, options.kept)
    resource.setrlimit(resource.RLIMIT_AS, (options.megabytes << 20, options.megabytes << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)
    for number in range(options.start, options.stop):
        print(json.dumps(judge(corpus, options.kind, number, options.seconds)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

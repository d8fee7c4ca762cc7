"""Faults at random points of batch jobs: no row may be lost or doubled, and no part half-written.

Run: python -m tests.batch_faults [KIND ...] [--count N] [--seed N]

Each kind happens ``--count`` times, several times in a job. Outputs are compared row by row with numpy.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tabulate import tabulate

from lite_delegate.basics.processors import usable_processors
from lite_delegate.batch import BatchEngine, BatchOptions, LocalEngine, RayEngine
from lite_delegate.batch.driver.run import run_job
from lite_delegate.batch.parts.job_folder import SUCCESS
from lite_delegate.batch.parts.part import read_facts
from lite_delegate.cli.data_set.build_recipe import BuildRecipe
from lite_delegate.cli.options.build_options import BuildOptions
from lite_delegate.errors import InputError
from tests.batch import marked_rows
from tests.batch.engines.clusters import add_node, cluster_of

ROWS, CHUNK_ROWS, BATCH = 320, 8, 4
IN_A_JOB = 5
"""The faults of a job, at most."""
SLOW_RUN = "0.06"
"""Seconds of a batch where processes are killed: a job takes some seconds."""
SLOW_NODE_RUN = "0.4"
"""Seconds of a batch where nodes are killed: a new node takes some seconds."""
TIMEOUT = 6.0
"""Seconds that a chunk may take where rows hang, on a machine that has a processor for each process that is ready."""
END_SECONDS = 3.0
"""Within these seconds after its driver a worker ends."""
DRIVERS = get_context("forkserver")


@dataclass
class Tally:
    """What came of the faults of a kind.

    Attributes:
        faults: that happened.
        jobs: that they happened in.
        rows: that were compared.
        wrong: what was wrong, in words.
        deaths: the workers that ended.
    """

    faults: int = 0
    jobs: int = 0
    rows: int = 0
    wrong: list[str] = field(default_factory=list)
    deaths: int = 0


@dataclass
class Job:
    """One job: its folder and rows.

    Attributes:
        folder: for all files.
        rows: as numpy has them.
        bad: a part of the reason of each row that must be an error.
        timeout: seconds for a chunk.
        source: the rows as a file.
    """

    folder: Path
    rows: marked_rows.Array
    bad: Mapping[int, str] = field(default_factory=dict)
    timeout: float | None = None

    def __post_init__(self) -> None:
        self.model = marked_rows.write_model(self.folder / "m.onnx")
        self.source = marked_rows.write_rows(self.folder / "rows.parquet", list(self.rows))
        self.output = self.folder / "out"

    @property
    def recipe(self) -> BuildRecipe:
        """Of the model, with the delegate of marked rows."""
        return BuildRecipe(self.model, BuildOptions(marked_rows.DELEGATE))

    def run(self, engine: BatchEngine | None = None) -> int:
        """Runs the job to its end, with two workers; gives the number of workers that ended."""
        options = BatchOptions(rows=BATCH, chunk_rows=CHUNK_ROWS)
        chosen = LocalEngine(2, self.timeout) if engine is None else engine
        return run_job(self.recipe, self.source, self.output, options, chosen).deaths

    def check(self, tally: Tally) -> None:
        """Compares all rows of the finished job."""
        tally.jobs += 1
        tally.rows += len(self.rows)
        tally.wrong += marked_rows.faults_of(self.output, self.rows, self.bad)
        tally.wrong += [f"left: {path.name}" for path in self.output.glob(".*.tmp")]
        manifest = json.loads((self.output / "_manifest.json").read_text())
        if (manifest["rows"], manifest["errors"]) != (len(self.rows), len(self.bad)):
            tally.wrong.append(f"the manifest says {manifest['rows']} rows, {manifest['errors']} errors")

    def check_parts(self, tally: Tally) -> None:
        """No part of the interrupted job is half-written."""
        parts = list(self.output.glob("part-*.parquet"))
        tally.wrong += [f"half-written: {path.name}" for path in parts if read_facts(path) is None]
        if (self.output / SUCCESS).exists() and len(parts) * CHUNK_ROWS < len(self.rows):
            tally.wrong.append("marked as done before its end")


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += [int(each) for each in task.read_text().split()]
    return found


def workers_of(pid: int) -> list[int]:
    """The workers of a driver."""
    return [each for each in children(pid) if b"clean_process" in _command(each)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def worker_killed(rng: random.Random, folder: Path, count: int, tally: Tally) -> None:
    """SIGKILL to a random worker at random times."""
    job = Job(folder, marked_rows.rows_of(ROWS, rng.getrandbits(32)))

    def kill() -> bool:
        workers = workers_of(os.getpid())
        if workers:
            with suppress(ProcessLookupError):
                os.kill(rng.choice(workers), signal.SIGKILL)
                return True
        return False

    killed_meanwhile(rng, job, LocalEngine(2), count, kill, tally)


def node_killed(rng: random.Random, folder: Path, count: int, tally: Tally) -> None:
    """SIGKILL to the processes of a random one of two nodes of Ray at random times; a new node takes its place."""
    job = Job(folder, marked_rows.rows_of(ROWS, rng.getrandbits(32)))
    with cluster_of(0, 1, 1) as cluster:
        nodes = [node for node in cluster.list_all_nodes() if node is not cluster.head_node]

        def kill() -> bool:
            cluster.remove_node(nodes.pop(rng.randrange(len(nodes))), allow_graceful=False)
            nodes.append(add_node(cluster))
            return True

        killed_meanwhile(rng, job, RayEngine(2), count, kill, tally)


def killed_meanwhile(
    rng: random.Random, job: Job, engine: BatchEngine, count: int, kill: Callable[[], bool], tally: Tally
) -> None:
    """Runs the job, and calls ``kill`` at random times, each time after a further part; counts what it killed."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(job.run, engine)
        parts, killed = 0, 0
        while not running.done():
            time.sleep(rng.uniform(0.0, 0.5))
            now = len(list(job.output.glob("part-*.parquet")))
            if killed < count and (now > parts or not killed) and kill():
                parts, killed = now, killed + 1
        tally.deaths += running.result()
    tally.faults += killed
    job.check(tally)


def driver_killed(rng: random.Random, folder: Path, count: int, tally: Tally) -> None:
    """SIGKILL to the driver at random times, and the same job again."""
    job = Job(folder, marked_rows.rows_of(ROWS, rng.getrandbits(32)))
    for _ in range(count):
        driver = DRIVERS.Process(target=job.run)
        driver.start()
        driver.join(rng.uniform(0.1, 6.0))
        workers = workers_of(driver.pid or 0)
        if driver.exitcode is None:
            tally.faults += 1
            driver.kill()
        driver.join()
        end = time.monotonic() + END_SECONDS
        while any(map(_is_there, workers)) and time.monotonic() < end:
            time.sleep(0.02)
        tally.wrong += [f"worker {pid} outlives its driver" for pid in workers if _is_there(pid)]
        job.check_parts(tally)
    job.run()
    job.check(tally)


def _is_there(pid: int) -> bool:
    return b"clean_process" in _command(pid)


def disk_full(rng: random.Random, folder: Path, count: int, tally: Tally) -> None:
    """A small file system that grows each time; a limit of the size of files where there can be none."""
    out = folder / "out"
    out.mkdir()
    job = Job(folder, marked_rows.rows_of(ROWS, rng.getrandbits(32)))
    with _small_disk(out) as grow:
        size = 16 * 1024
        for _ in range(count):
            size += rng.randint(8, 40) * 1024
            with grow(size):
                try:
                    job.run()
                except (OSError, InputError) as e:
                    if not any(text in str(e) for text in ("No space", "File too large", "cannot be written")):
                        raise
                    tally.faults += 1
            job.check_parts(tally)
        with grow(2**24):
            job.run()
        job.check(tally)


Grow = Callable[[int], Any]


@contextmanager
def _small_disk(path: Path) -> Iterator[Grow]:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(path)], capture_output=True, check=False
    )
    if mounted.returncode:
        yield lambda size: _limited(size // 16)
        return
    try:
        yield partial(_remounted, path)
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


@contextmanager
def _remounted(path: Path, size: int) -> Iterator[None]:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(path)], check=True)
    yield


@contextmanager
def _limited(size: int) -> Iterator[None]:
    """Files of this process, and of its workers, may have so many bytes."""
    old, before = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, before)


def bad_rows(rng: random.Random, folder: Path, count: int, tally: Tally) -> None:
    """Rows without a value, of another length, or with an element missing."""
    job = Job(folder, marked_rows.rows_of(ROWS, rng.getrandbits(32)))
    chosen = rng.sample(range(ROWS), count)
    rows: list[Any] = list(job.rows)
    for number in chosen:
        rows[number] = rng.choice([None, rows[number][:3], [1.0] * 5, []])
    job.bad = dict.fromkeys(chosen, "input 'x'")
    marked_rows.write_rows(job.source, rows)
    job.run()
    tally.faults += count
    job.check(tally)


def marked(mark: float, reason: str, timeout: float | None) -> Callable[..., None]:
    """A kind whose rows do what a mark says."""

    def kind(rng: random.Random, folder: Path, count: int, tally: Tally) -> None:
        rows = marked_rows.rows_of(ROWS, rng.getrandbits(32))
        chosen = rng.sample(range(ROWS), count)
        rows[chosen, 0] = mark
        job = Job(folder, rows, dict.fromkeys(chosen, reason), timeout and timeout * waiting_factor())
        tally.deaths += job.run()
        tally.faults += count
        job.check(tally)

    return kind


def waiting_factor() -> float:
    """How much longer work takes on this machine now: the processes that are ready for each processor, 1 at least."""
    return max(1.0, os.getloadavg()[0] / usable_processors())


KINDS: Mapping[str, Callable[[random.Random, Path, int, Tally], None]] = {
    "worker-killed": worker_killed,
    "driver-killed": driver_killed,
    "node-killed": node_killed,
    "disk-full": disk_full,
    "bad-rows": bad_rows,
    "raising-rows": marked(marked_rows.RAISE, "a marked row", None),
    "segfaulting-rows": marked(marked_rows.SEGFAULT, "the worker ended by signal SIGSEGV", None),
    "hanging-rows": marked(marked_rows.HANG, "the worker ended after", TIMEOUT),
}


def campaign(kind: str, count: int, seed: int) -> Tally:
    """Lets faults of a kind happen."""
    rng, tally = random.Random(f"{kind} {seed}"), Tally()
    slow = {"worker-killed": SLOW_RUN, "driver-killed": SLOW_RUN, "node-killed": SLOW_NODE_RUN}
    os.environ[marked_rows.SECONDS] = slow.get(kind, "0")
    while tally.faults < count and not tally.wrong:
        with TemporaryDirectory() as folder:
            KINDS[kind](rng, Path(folder), min(IN_A_JOB, count - tally.faults), tally)
    return tally


def main() -> None:
    """Prints a table; the status is 1 where something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", default=list(KINDS), help=", ".join(KINDS))
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    table, is_wrong = [], False
    for kind in given.kinds:
        begun = time.monotonic()
        tally = campaign(kind, given.count, given.seed)
        seconds = f"{time.monotonic() - begun:.0f}"
        table.append([kind, tally.faults, tally.jobs, tally.rows, tally.deaths, len(tally.wrong), seconds])
        print(tabulate([table[-1]], tablefmt="plain"), *tally.wrong[:10], sep="\n", file=sys.stderr, flush=True)
        is_wrong |= bool(tally.wrong)
    print(tabulate(table, ["kind", "faults", "jobs", "rows compared", "workers ended", "wrong", "s"]))
    sys.exit(is_wrong)


if __name__ == "__main__":
    main()

"""A batch job on many machines, simulated: how long 10^9 rows take, with stragglers, lost nodes and skewed chunks.

Workers take chunks one after the other, as the scheduler of ``lite_delegate.batch`` gives them: at most one chunk a
worker, in the order of the source. A chunk takes a fixed time and its rows' time: the model's, times the slowness of
the worker and the weight of the chunk, or the transfer's, whichever is longer. Transfers share a storage: so many bytes
a second flow to all workers together. A lost node loses the chunks that it has, which are given out again, and comes
back after a while, with workers that start anew. The ideal is the sum of all work over all workers, without starts and
losses.

Run: python benchmarks/batch_simulation.py [--rows N] [--machines N] [--workers N] [--compute-us X] [--row-bytes N] ...
"""

from __future__ import annotations

import argparse
import heapq
import random
import statistics
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from tabulate import tabulate

MOST_LOSSES = 10**6
"""Of one machine."""


@dataclass(frozen=True)
class Cluster:
    """What a job runs on, and on what.

    Attributes:
        rows: of the source.
        machines: their number.
        workers: of each machine.
        chunk_rows: rows of a chunk.
        compute_us: microseconds of a row in the model, with reading and writing the part.
        row_bytes: of a row in the source, with its results.
        storage: bytes a second for all machines together.
        start_s: seconds from the start of a worker to its first row.
        chunk_ms: milliseconds of a chunk that do not depend on its rows: opening files, renaming the part.
        dispatch_us: microseconds of the driver for each chunk.
        stragglers: the share of the machines that are slow.
        slowness: of a straggler.
        lost_per_hour: the nodes that are lost in an hour, of a hundred.
        back_s: seconds until a lost node is back.
        skew: the standard deviation of the logarithm of a chunk's weight.
    """

    rows: int = 10**9
    machines: int = 100
    workers: int = 32
    chunk_rows: int = 6_550
    compute_us: float = 10_000.0
    row_bytes: float = 10_000.0
    storage: float = 100e9
    start_s: float = 5.0
    chunk_ms: float = 20.0
    dispatch_us: float = 500.0
    stragglers: float = 0.0
    slowness: float = 3.0
    lost_per_hour: float = 0.0
    back_s: float = 120.0
    skew: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """What became of a job.

    Attributes:
        hours: from its start to its last part.
        efficiency: the ideal time over this one.
        wasted: the share of the workers' time that went into chunks that were lost.
        tail: the share of the time in which some workers had nothing to do.
    """

    hours: float
    efficiency: float
    wasted: float
    tail: float


def simulated(cluster: Cluster, seed: int = 0) -> Outcome:
    """Simulates a job."""
    rng = random.Random(seed)
    chunks = -(-cluster.rows // cluster.chunk_rows)
    weights = [rng.lognormvariate(-(cluster.skew**2) / 2, cluster.skew) if cluster.skew else 1.0 for _ in range(chunks)]
    slow = [cluster.slowness if rng.random() < cluster.stragglers else 1.0 for _ in range(cluster.machines)]
    row_us = cluster.compute_us
    workers = cluster.machines * cluster.workers
    transfer_us = cluster.row_bytes / cluster.storage * 1e6 * workers
    left = deque(range(chunks))
    events: list[tuple[float, int, str, int, int]] = []
    numbers, generation, busy = count(), [0] * cluster.machines, [dict[int, tuple[int, float]]() for _ in slow]
    driver_free, done, wasted, end, first_idle = 0.0, 0, 0.0, 0.0, None
    idle: list[tuple[int, int]] = []

    def push(at: float, kind: str, machine: int, worker: int) -> None:
        heapq.heappush(events, (at, next(numbers), kind, machine, worker))

    def take(now: float, machine: int, worker: int) -> None:
        nonlocal driver_free, first_idle
        if not left:
            idle.append((machine, worker))
            first_idle = now if first_idle is None else first_idle
            return
        chunk = left.popleft()
        driver_free = max(driver_free, now) + cluster.dispatch_us / 1e6
        rows = min(cluster.chunk_rows, cluster.rows - chunk * cluster.chunk_rows)
        per_row = max(row_us * weights[chunk] * slow[machine], transfer_us)
        busy[machine][worker] = chunk, driver_free
        finished = driver_free + cluster.chunk_ms / 1e3 + rows * per_row / 1e6
        push(finished, "done", machine, worker * MOST_LOSSES + generation[machine])

    for machine in range(cluster.machines):
        for worker in range(cluster.workers):
            push(cluster.start_s * slow[machine], "free", machine, worker)
    rate = cluster.lost_per_hour / 3600 * cluster.machines / 100
    if rate:
        push(rng.expovariate(rate), "lost", rng.randrange(cluster.machines), 0)
    while done < chunks:
        now, _, kind, machine, worker = heapq.heappop(events)
        if kind == "lost":
            generation[machine] += 1
            wasted += sum(now - since for _, since in busy[machine].values())
            left.extendleft(chunk for chunk, _ in busy[machine].values())
            busy[machine].clear()
            idle = [each for each in idle if each[0] != machine]
            for again in range(cluster.workers):
                push(now + cluster.back_s + cluster.start_s, "free", machine, again)
            push(now + rng.expovariate(rate), "lost", rng.randrange(cluster.machines), 0)
            waiting, idle = idle, []
            for each in waiting:
                take(now, *each)
        elif kind == "free":
            take(now, machine, worker)
        else:
            worker, of = divmod(worker, MOST_LOSSES)
            if of == generation[machine]:
                del busy[machine][worker]
                done, end = done + 1, now
                take(now, machine, worker)
    work = cluster.rows * max(row_us, transfer_us) / 1e6
    ideal = work / workers
    tail = 0.0 if first_idle is None else (end - first_idle) / end
    return Outcome(end / 3600, ideal / end, wasted / (end * workers), tail)


def cases(base: Cluster) -> dict[str, Cluster]:
    """What is simulated, by name."""
    return {
        "as planned": base,
        "5 % of the machines are 3 times as slow": replace(base, stragglers=0.05),
        "a machine of a hundred is lost each hour": replace(base, lost_per_hour=1.0),
        "ten machines of a hundred are lost each hour": replace(base, lost_per_hour=10.0),
        "skewed chunks (sigma 1)": replace(base, skew=1.0),
        "all of it": replace(base, stragglers=0.05, lost_per_hour=10.0, skew=1.0),
        "all of it, chunks a quarter": replace(
            base, stragglers=0.05, lost_per_hour=10.0, skew=1.0, chunk_rows=max(1, base.chunk_rows // 4)
        ),
        "all of it, chunks 16 times as large": replace(
            base, stragglers=0.05, lost_per_hour=10.0, skew=1.0, chunk_rows=base.chunk_rows * 16
        ),
        "storage of a hundredth": replace(base, storage=base.storage / 100),
    }


def table_of(base: Cluster, seeds: Sequence[int]) -> list[list[str]]:
    """A row for each case: means over seeds."""
    rows = []
    for name, cluster in cases(base).items():
        found = [simulated(cluster, seed) for seed in seeds]
        means = (statistics.mean(getattr(each, column) for each in found) for column in Outcome.__dataclass_fields__)
        hours, efficiency, wasted, tail = means
        shares = (f"{100 * share:.2f} %" for share in (efficiency, wasted, tail))
        rows.append([name, f"{-(-cluster.rows // cluster.chunk_rows):,}", f"{hours:.3f}", *shares])
    return rows


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in Cluster.__dataclass_fields__.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value.default), default=value.default)
    parser.add_argument("--seeds", type=int, default=1)
    given = vars(parser.parse_args())
    seeds = range(given.pop("seeds"))
    base = Cluster(**given)
    print(", ".join(f"{name} {value:g}" for name, value in given.items()))
    columns = ["case", "chunks", "hours", "of the ideal", "work lost", "tail"]
    print(tabulate(table_of(base, seeds), columns, disable_numparse=True))


if __name__ == "__main__":
    main()

"""The engine on Ray against the local engine, and against Ray Data with plain ONNX Runtime in ``map_batches``.

All read the same Parquet file, run the same model row by row with one thread in each worker, and write Parquet. CPU
time is user and system time of all processes that the measured one started, Ray's own ones included; memory is the sum
of their proportional set sizes (PSS) at its highest. Ray is started before, and has a line of its own; Ray Data has
read and written the file once before. The overhead of a chunk is the time of a job with one tiny row a chunk, by
chunks, without the time to the first part.

Run: RAY_USAGE_STATS_ENABLED=0 python -m benchmarks.batch_ray [--rows N] [--size N] [--workers N] [--chunks N]

Without the variable Ray reports its use to its makers. Ray Data needs pandas: pip install 'ray[data]'.
"""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pyarrow as pa
import ray
from onnx import TensorProto, helper
from pyarrow import parquet
from tabulate import tabulate

from benchmarks.onnx_classifiers import mobilenet_v3
from lite_delegate.batch import BatchEngine, BatchProgress, LocalEngine, RayEngine, ray_map, run

SAMPLE_SECONDS = 0.1
MEMORY_EVERY = 5
"""The samples of CPU time to one of memory."""
TICKS = os.sysconf("SC_CLK_TCK")
STORE = 200 * 2**20
PLAIN = "Ray Data, plain ONNX Runtime"
JOBS = ("local engine", "Ray engine", "Ray engine, rows and parts sent", "ray_map", PLAIN)


@dataclass
class Usage:
    """What a stretch of work took.

    Attributes:
        seconds: of the clock.
        cpu: seconds of all processes.
        megabytes: at the highest.
    """

    seconds: float = 0.0
    cpu: float = 0.0
    megabytes: float = 0.0
    by_process: dict[int, float] = field(default_factory=dict)


@contextmanager
def measured() -> Iterator[Usage]:
    """The usage of the block by this process and all that descend from it; processes are looked at all the time.

    The time of looking does not count: it grows with the time of the clock.
    """
    usage, done = Usage(), threading.Event()
    watching = [0.0]
    before = {process: cpu_seconds(process) for process in family()}

    def look(with_memory: bool) -> None:
        there = family()
        usage.by_process |= {process: cpu_seconds(process) - before.get(process, 0.0) for process in there}
        if with_memory:
            usage.megabytes = max(usage.megabytes, sum(map(pss_megabytes, there)))

    def watch() -> None:
        count = 0
        while not done.wait(SAMPLE_SECONDS):
            count += 1
            look(count % MEMORY_EVERY == 0)
            watching[0] = time.thread_time()

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.perf_counter()
    try:
        yield usage
    finally:
        usage.seconds = time.perf_counter() - started
        done.set()
        watcher.join()
        look(with_memory=True)
        usage.cpu = sum(usage.by_process.values()) - watching[0]


def family() -> set[int]:
    """This process and its descendants."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with suppress(OSError):
                parents[int(entry)] = int(_fields(int(entry))[1])
    found = {os.getpid()}
    while grown := {process for process, parent in parents.items() if parent in found} - found:
        found |= grown
    return found


def cpu_seconds(process: int) -> float:
    """User and system time; 0 for a process that has ended."""
    with suppress(OSError):
        user, system = _fields(process)[11:13]
        return (int(user) + int(system)) / TICKS
    return 0.0


def _fields(process: int) -> list[str]:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def pss_megabytes(process: int) -> float:
    """The proportional set size; 0 for a process that has ended."""
    with suppress(OSError, ValueError):
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return 0.0


class PlainRuntime:
    """A reader's own callable class for ``map_batches``."""

    def __init__(self, model: str) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
        (self._input,) = self._session.get_inputs()

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        shape = self._input.shape
        found = []
        for row in batch["image"]:
            (output,) = self._session.run(None, {self._input.name: np.asarray(row).reshape(shape)})
            found.append(output[0])
        return {"id": batch["id"], "output": np.stack(found)}


def write_rows(path: Path, rows: int, elements: int) -> None:
    """Rows of random images, in row groups of 32."""
    values = np.random.default_rng(0).random((rows, elements), np.float32)
    column = pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), elements)
    parquet.write_table(pa.table({"id": np.arange(rows), "image": column}), path, row_group_size=32)


def write_tiny(folder: Path, rows: int) -> tuple[Path, Path]:
    """A model of one operator, and its rows."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in ("image", "y"))
    graph = helper.make_graph([helper.make_node("Exp", ["image"], ["y"], "e")], "tiny", [x], [y])
    model, rows_file = folder / "tiny.onnx", folder / "tiny.parquet"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), model)
    write_rows(rows_file, rows, 4)
    return model, rows_file


def chunk_milliseconds(folder: Path, model: Path, rows: Path, engine: BatchEngine) -> float:
    """The time from the first part to the last one, by chunks of one row."""
    ends: list[float] = []

    def tell(progress: BatchProgress) -> None:
        ends.append(time.perf_counter())

    run(model, rows, folder, engine=engine, chunk_rows=1, on_progress=tell)
    return 1000 * (ends[-1] - ends[0]) / max(len(ends) - 1, 1)


def started_ray(workers: int) -> list[list[object]]:
    """Starts Ray; the time, and the memory of its processes when they have nothing to do."""
    own = pss_megabytes(os.getpid())
    with measured() as usage:
        ray.init(
            "local",
            num_cpus=workers + 1,
            object_store_memory=STORE,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    time.sleep(2)
    idle = sum(map(pss_megabytes, family())) - own
    return [[f"{usage.seconds:.1f}", f"{usage.cpu:.1f}", f"{idle:.0f}"]]


def jobs(folder: Path, model: Path, rows: Path, workers: int) -> dict[str, Callable[[], object]]:
    """The ways to run the model over the rows."""

    def ray_data(mapped: Callable[[Any], Any], name: str) -> None:
        mapped(ray.data.read_parquet(str(rows))).write_parquet(str(folder / name))

    def plain(dataset: Any) -> Any:
        pool = ray.data.ActorPoolStrategy(size=workers)
        return dataset.map_batches(
            PlainRuntime, fn_constructor_args=(str(model),), batch_size=32, compute=pool, num_cpus=1
        )

    def ours(dataset: Any) -> Any:
        return ray_map(dataset, model, device="ONNXRUNTIME", workers=workers)

    def engine(made: BatchEngine, name: str) -> None:
        run(model, rows, folder / name, device="ONNXRUNTIME", engine=made, chunk_rows=32)

    return {
        "local engine": lambda: engine(LocalEngine(workers), "local"),
        "Ray engine": lambda: engine(RayEngine(workers), "ray"),
        "Ray engine, rows and parts sent": lambda: engine(RayEngine(workers, shares_files=False), "sent"),
        "ray_map": lambda: ray_data(ours, "ray_map"),
        PLAIN: lambda: ray_data(plain, "plain"),
    }


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=512)
    parser.add_argument("--size", type=int, default=224, help="of an image")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--chunks", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, rows = folder / "model.onnx", folder / "rows.parquet"
        onnx.save(mobilenet_v3(size=given.size), model)
        write_rows(rows, given.rows, 3 * given.size**2)
        print(tabulate(started_ray(given.workers), ["Ray: start, s", "CPU s", "idle, MB"], disable_numparse=True))
        ray.data.DataContext.get_current().enable_progress_bars = False
        usages: dict[str, Usage] = {}
        ray.data.read_parquet(str(rows)).write_parquet(str(folder / "first"))  # starts processes
        calls = jobs(folder, model, rows, given.workers)
        for job in JOBS:
            with measured() as usages[job]:
                calls[job]()
        base = usages[PLAIN].cpu
        lines = [
            [job, f"{1000 * each.cpu / given.rows:.1f}", f"{each.cpu / base:.2f}", f"{each.seconds:.1f}"]
            + [f"{each.megabytes:.0f}"]
            for job, each in usages.items()
        ]
        print(f"\n{given.rows:,} rows of MobileNetV3, {given.workers} worker(s) of one thread")
        print(tabulate(lines, ["job", "CPU ms/row", "of Ray Data", "s", "peak MB"], disable_numparse=True))
        tiny, few = write_tiny(folder, given.chunks)
        engines = {"local": LocalEngine(1), "ray": RayEngine(1)}
        chunks = [
            [name, f"{chunk_milliseconds(folder / f'tiny-{name}', tiny, few, each):.1f}"]
            for name, each in engines.items()
        ]
        print()
        print(tabulate(chunks, ["engine", "ms/chunk of one row"], disable_numparse=True))
        ray.shutdown()


if __name__ == "__main__":
    main()

"""``lite-delegate batch`` against a plain loop of ONNX Runtime over the same rows of Parquet, in one run.

Both read the same file, run the same model with one thread a process, in batches of the command's own choice, and write
Parquet. Outputs are compared row by row. CPU time is user and system time of all processes, memory the sum of their
proportional set sizes (PSS) at its highest. Each command runs with one batch, too: the time of that run is "start to
first row", and "ms a row" is what the further rows cost.

Run: python benchmarks/batch.py [NAME ...] [--rows N] [--workers N ...] [--rounds N] [--chunk-rows N]

NAME: ``mlp`` (16 inputs, 4 outputs), ``mobilenet_v2``, or another network of ``benchmarks/zoo.py``. For flat memory:
``python benchmarks/batch.py mlp --rows 10000000 --rounds 1``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pyarrow as pa
import pyarrow.parquet as pq
from onnx import TensorProto, helper, numpy_helper
from tabulate import tabulate

from benchmarks.guarded import Failures
from benchmarks.zoo import NETWORKS
from lite_delegate.batch.models.batch_shapes import batch_shapes
from lite_delegate.formats import read_model

Array = np.ndarray[Any, Any]

ROWS: Mapping[str, int] = {"mlp": 1_000_000}
"""The rows of a model where nobody says a number."""
USUAL_ROWS = 512
SAMPLE_SECONDS = 0.1
"""Between looks at the memory."""
GROUP_BYTES = 32 * 2**20
"""Of a row group of the file, about."""
LOOP = """
import sys
import numpy as np, onnxruntime, pyarrow as pa, pyarrow.parquet as pq
model, source, target, batch = *sys.argv[1:4], int(sys.argv[4])
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
given, = session.get_inputs()
shape = [int(dim) for dim in given.shape[1:]]
writer = None
window = max(batch, {window} // batch * batch)
for group in pq.ParquetFile(source, memory_map=True).iter_batches(window, use_threads=False):
    rows = group.column("x").flatten().to_numpy().reshape(-1, *shape)
    found = [session.run(None, {{given.name: rows[at:at + batch]}})[0] for at in range(0, len(rows), batch)]
    flat = np.concatenate(found).reshape(len(rows), -1)
    values = pa.FixedSizeListArray.from_arrays(pa.array(flat.reshape(-1)), flat.shape[1])
    table = pa.table({{"id": group.column("id"), "y": values}})
    writer = writer or pq.ParquetWriter(target, table.schema)
    writer.write_table(table)
writer.close()
"""
"""The peer: a reader's plain loop; ``window`` is the number of rows that are read, and written, at a time."""


@dataclass
class Cost:
    """What a command took.

    Attributes:
        seconds: from its start to its end.
        cpu: user and system seconds of all processes.
        peak: the highest sum of PSS, MB.
        samples: the sums, MB.
    """

    seconds: float
    cpu: float
    peak: float
    samples: list[float] = field(default_factory=list)


def cost_of(command: Sequence[str]) -> Cost:
    """Runs a command to its end.

    Raises:
        CalledProcessError: it failed.
    """
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
        samples: list[float] = []
        ended = threading.Event()

        def look() -> None:
            while not ended.wait(SAMPLE_SECONDS):
                samples.append(sum(map(pss_of, tree_of(process.pid))) / 2**10)

        watcher = threading.Thread(target=look)
        watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        ended.set()
        watcher.join()
        if process.returncode:
            said.seek(0)
            raise subprocess.CalledProcessError(process.returncode, command, None, said.read())
    return Cost(seconds, usage.ru_utime + usage.ru_stime, max(samples, default=0.0), samples)


def tree_of(pid: int) -> list[int]:
    """A process and its descendants."""
    found, new = [pid], [pid]
    while new:
        new = [child for each in new for child in children_of(each)]
        found += new
    return found


def children_of(pid: int) -> list[int]:
    """The children of a process."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:  # it has ended
        return []


def pss_of(pid: int) -> int:
    """The proportional set size of a process, kB."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def mlp() -> onnx.ModelProto:
    """16 inputs, two layers of 32, 4 outputs."""
    rng = np.random.default_rng(0)
    sizes = (16, 32, 32, 4)
    nodes, weights, last = [], [], "x"
    for number, (n, m) in enumerate(pairwise(sizes)):
        weights += [
            numpy_helper.from_array((rng.standard_normal((n, m)) / n**0.5).astype(np.float32), f"w{number}"),
            numpy_helper.from_array(rng.standard_normal(m).astype(np.float32), f"b{number}"),
        ]
        nodes += [
            helper.make_node("Gemm", [last, f"w{number}", f"b{number}"], [f"h{number}"], f"gemm{number}"),
            helper.make_node("Relu", [f"h{number}"], [f"r{number}"], f"relu{number}"),
        ]
        last = f"r{number}"
    nodes.pop()
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", sizes[0]])
    made = helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, ["N", sizes[-1]])
    graph = helper.make_graph(nodes, "mlp", [given], [made], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def opened(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with an open first dimension; its input is called ``x``."""
    graph = model.graph
    old = graph.input[0].name
    for node in graph.node:
        node.input[:] = ["x" if name == old else name for name in node.input]
    graph.input[0].name = "x"
    for port in (*graph.input, *graph.output):
        if port.type.tensor_type.shape.dim:
            port.type.tensor_type.shape.dim[0].dim_param = "N"
    return model


def row_shape(model: onnx.ModelProto) -> tuple[int, ...]:
    """The shape of a row of the one input."""
    return tuple(dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim[1:])


def write_rows(path: Path, shape: Sequence[int], rows: int) -> None:
    """Random rows, ``id`` and ``x``, a flat list of fixed size."""
    size = int(np.prod(shape))
    group = max(1, min(rows, GROUP_BYTES // (4 * size)))
    rng = np.random.default_rng(1)
    pool = rng.standard_normal(group * size, dtype=np.float32)
    schema = pa.schema([("id", pa.int64()), ("x", pa.list_(pa.float32(), size))])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for start in range(0, rows, group):
            count = min(group, rows - start)
            ids = np.arange(start, start + count)
            values = np.roll(pool, start)[: count * size]
            values[::size] = ids % 1000 / 1000
            x = pa.FixedSizeListArray.from_arrays(pa.array(values), size)
            writer.write_table(pa.table([pa.array(ids), x], schema), group)


def check(ours: Path, theirs: Path) -> None:
    """Raises ValueError where rows are lost, doubled, in another order, or have other outputs."""
    peer = pq.ParquetFile(theirs).iter_batches(65_536)
    held: list[Any] = []
    for part in sorted(ours.glob("part-*.parquet")):
        table = pq.read_table(part)
        while sum(len(each) for each in held) < len(table):
            held.append(next(peer))
        want = pa.Table.from_batches(held)
        held = want.slice(len(table)).to_batches()
        if table["error"].null_count != len(table) or not table["id"].equals(want["id"].slice(0, len(table))):
            raise ValueError(f"rows of {part.name} are not the source's")
        flat, wanted = (flat_of(each) for each in (table[outputs_of(table)[0]], want["y"].slice(0, len(table))))
        if not np.allclose(flat, wanted, 1e-3, 1e-4):
            raise ValueError(f"outputs of {part.name} are off by {np.abs(flat - wanted).max():.3g}")
    if held or next(peer, None) is not None:
        raise ValueError("rows are lost")


def outputs_of(table: Any) -> list[str]:
    """The columns of outputs."""
    return [name for name in table.column_names if name not in ("id", "error")]


def flat_of(column: Any) -> Array:
    """All elements of a column of lists."""
    whole = column.combine_chunks()
    whole = getattr(whole, "storage", whole)
    return np.asarray(whole.flatten())


class Bench:
    """One model with its rows.

    Args:
        name: of the model.
        folder: for files.
        rows: their number.
        chunk_rows: None: as the command has it.
    """

    def __init__(self, name: str, folder: Path, rows: int, chunk_rows: int | None) -> None:
        self.name, self.rows, self.chunk_rows = name, rows, chunk_rows
        self.folder = folder
        model = mlp() if name == "mlp" else opened(NETWORKS[name]())
        self.model = folder / f"{name}.onnx"
        onnx.save(model, self.model)
        self.few, self.many = folder / "few.parquet", folder / "many.parquet"
        self.batch_rows = batch_shapes(read_model(self.model), None, {}, ()).rows
        write_rows(self.few, row_shape(model), self.batch_rows)
        write_rows(self.many, row_shape(model), rows)
        self._loop = folder / "loop.py"
        size = 4 * int(np.prod(row_shape(model)))
        self._loop.write_text(LOOP.format(window=min(65_536, max(1, GROUP_BYTES // size))))
        self._count = 0

    def loop(self, source: Path) -> tuple[Cost, Path]:
        """The peer's run over a file."""
        target = self.folder / "loop.parquet"
        command = [sys.executable, str(self._loop), str(self.model), str(source), str(target), str(self.batch_rows)]
        return cost_of(command), target

    def batch(self, source: Path, workers: int) -> tuple[Cost, Path]:
        """Our run over a file."""
        self._count += 1
        target = self.folder / f"out-{self._count}"
        command = [sys.executable, "-m", "lite_delegate", "batch", str(self.model), "--input", str(source)]
        command += ["--output", str(target), "--workers", str(workers)]
        command += ["--chunk-rows", str(self.chunk_rows)] if self.chunk_rows else []
        return cost_of(command), target


def rows_of(name: str, given: argparse.Namespace, folder: Path) -> list[list[Any]]:
    """The rows of the table for one model: the loop, and ours for each number of workers."""
    bench = Bench(name, folder, given.rows or ROWS.get(name, USUAL_ROWS), given.chunk_rows)
    labels = ["loop", *given.workers]
    few: dict[Any, list[Cost]] = {label: [] for label in labels}
    many: dict[Any, list[Cost]] = {label: [] for label in labels}
    devices = ""
    for _ in range(given.rounds):
        for label in labels:
            few[label].append(bench.loop(bench.few)[0] if label == "loop" else bench.batch(bench.few, label)[0])
            cost, target = bench.loop(bench.many) if label == "loop" else bench.batch(bench.many, label)
            many[label].append(cost)
            if label == "loop":
                peer = target
            else:
                check(target, peer)
                devices = said_devices(target)
    base: list[float] | None = None
    table = []
    for label in labels:
        start, cost = (min(each[label], key=lambda c: c.cpu) for each in (few, many))
        per_row = 1e3 * (cost.cpu - start.cpu) / max(bench.rows - bench.batch_rows, 1)
        whole = 1e3 * cost.cpu / bench.rows
        speed = bench.rows / min(each.seconds for each in many[label])
        now = [per_row, whole, cost.peak, speed]
        base = base or now
        over = [f"{mine / max(peer_, 1e-9):.2f}" for mine, peer_ in zip(now, base, strict=True)]
        who = "loop of ONNX Runtime" if label == "loop" else f"batch, workers {label}"
        where = "onnxruntime" if label == "loop" else devices
        times = [f"{per_row:.4g}", over[0], f"{whole:.4g}", over[1], f"{cost.peak:.0f}", over[2], flatness(cost)]
        first = min(each.seconds for each in few[label])
        table.append([name, f"{bench.rows:,}", who, *times, f"{speed:,.0f}", over[3], f"{first:.2f}", "f32", 1, where])
    return table


def flatness(cost: Cost) -> str:
    """The highest memory of the last half of the time over that of the first half."""
    middle = len(cost.samples) // 2
    return f"{max(cost.samples[middle:]) / max(cost.samples[:middle]):.2f}" if middle else "-"


def said_devices(target: Path) -> str:
    """Where the kernels of the plan ran, by the manifest."""
    nodes = json.loads((target / "_manifest.json").read_text())["partition"]["nodes"]
    return ", ".join(sorted({node["device"] for node in nodes}))


COLUMNS = (
    "model", "rows", "what", "CPU ms a further row", "over loop", "with start", "over loop", "peak MB", "over loop",
    "2nd half", "rows/s", "over loop", "first row s", "precision", "threads", "ran on",
)  # fmt: skip


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["mlp", "mobilenet_v2"])
    parser.add_argument("--rows", type=int)
    parser.add_argument("--chunk-rows", type=int)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    failures, table = Failures(), []
    for name in given.names:
        with tempfile.TemporaryDirectory() as folder:
            table += failures.rows([name], partial(rows_of, name, given, Path(folder)))
    print(tabulate(table, COLUMNS, disable_numparse=True))
    failures.exit()


if __name__ == "__main__":
    main()

"""Every benchmark runs in its smallest form: what it prints is complete, whatever the times are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

ROOT = Path(__file__).parents[2]
RUN = """
import importlib, sys
name, changes, *arguments = sys.argv[1:]
module = importlib.import_module("benchmarks." + name)
vars(module).update(eval(changes))
sys.argv[1:] = arguments
words = [int(each) if each.isdigit() else each for each in arguments]
module.main(*([words] if module.main.__code__.co_argcount else []))
"""
"""Runs a benchmark with some of its constants changed."""
MODEL = "MODEL"
"""Among arguments: a small file."""
HELPERS = {
    *("guarded", "networks", "onnx_classifiers", "onnx_networks", "onnx_twin", "partition_graphs", "partition_peers"),
    *("runtimes", "turns", "zoo"),
}
"""Files of the folder that others use."""
ELSEWHERE = {"provider"}
"""What runs in an interpreter of its own, with other packages."""


@dataclass(frozen=True)
class Smallest:
    """The smallest form of a benchmark.

    Attributes:
        arguments: of the command.
        changes: to its constants, as Python.
        says: what the last table has in it.
        columns: of the last table, of those that say what a time is of.
        may_miss: whether it ends with status 1 where a time is not as wanted.
    """

    arguments: str
    changes: str
    says: str
    columns: Sequence[str] = ()
    may_miss: bool = False


OF_A_TIME = ("precision", "threads", "ran on")
"""Columns that every table of measured models has."""
QUICK = "{'ROUNDS': 1}"
SMALL_NETWORKS = "{'profile_names': lambda: ['kirin'], **dict.fromkeys(('resnet50', 'detector'), module.mobilenet_v2)}"
SMALLEST = {
    "backends": Smallest("lenet --precision f32 --rounds 1 --threads 1", "{}", "AUTO / best", OF_A_TIME),
    "batch": Smallest("mlp --rows 64 --rounds 1 --workers 1", "{'SAMPLE_SECONDS': 0.02}", "over loop", OF_A_TIME),
    "batch_simulation": Smallest("--rows 100000 --machines 2 --workers 2", "{}", "of the ideal"),
    "batch_ray": Smallest(
        "--rows 4 --size 32 --chunks 3", "{'JOBS': ('Ray engine', module.PLAIN)}", "ms/chunk of one row"
    ),
    "build_calls": Smallest("digits --delegates none", "{'ROUNDS': 1}", "all calls"),
    "coverage": Smallest(f"{MODEL} --profile kirin", "{}", "most rejected"),
    "first_inference": Smallest(f"{MODEL} --runs 1 --peer-python {shutil.which('false')}", "{}", "FEIL s", OF_A_TIME),
    "isolation": Smallest("", "{'ROUNDS': 1, 'CALLS': 2, 'SIZES': (1,)}", "bare exchange"),
    "kernels": Smallest("Relu", QUICK, "ratio", OF_A_TIME),
    "load": Smallest(
        f"{MODEL} --runs 1 --threads 1",
        "{'PAIRS': dict([*module.PAIRS.items()][:1])}",
        "process over alone",
        OF_A_TIME,
    ),
    "mixed": Smallest(
        "mobilenet_v3 --types Relu --count 1 --rounds 1 --calibration-ms 1", "{}", "AUTO / HETERO", OF_A_TIME
    ),
    "models": Smallest("mobilenetv2_100 --rounds 1 --threads 1", "{}", "ONNX Runtime, ms", OF_A_TIME),
    "npu": Smallest(
        "estimates",
        SMALL_NETWORKS,
        "packing",
        ("profile", "precision"),
    ),
    "overhead": Smallest("", "{'ROUNDS': 2, 'KERNELS': 5}", "bound graph kernels"),
    "partition": Smallest(
        "--graphs 2 --largest 400 --without-torch",
        "{'SIZES': (200, 400), 'MIDDLE': 30, 'NETWORKS': ['MobileNetV2']}",
        "fewer subgraphs than ours: 0 times",
        may_miss=True,
    ),
    "passes": Smallest("50 100", "{}", "100"),
    "reading": Smallest("", "{'LAYERS': 2, 'WIDTH': 16, 'ROUNDS': 1}", "MB more resident"),
    "quantized": Smallest("lenet --rounds 1", "{}", "int8 / float32", ("threads",)),
    "requests": Smallest("overhead", "{'ROUNDS': 3, 'CALLS': 2}", "plan"),
    "rest": Smallest("lenet --threads 1 --rounds 1", "{}", "none / auto", OF_A_TIME),
    "tiny": Smallest(f"{MODEL} --rounds 1", "{}", "LiteRT over"),
}


def test_every_benchmark_is_here() -> None:
    there = {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - {"__init__"}
    assert there == {*SMALLEST, *HELPERS, *ELSEWHERE}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "small.onnx"
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Exp", ["x"], ["y"], "e")], "g", [x], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


@pytest.mark.parametrize("name", SMALLEST)
def test_the_smallest_form_runs_to_its_end(name: str, small: Path) -> None:
    case = SMALLEST[name]
    done = run(name, case.changes, *case.arguments.replace(MODEL, str(small)).split())
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in ((0, 1) if case.may_miss else (0,)), done.stdout + done.stderr
    assert case.says in done.stdout
    assert [column for column in case.columns if column not in headers(done.stdout)] == []


def headers(printed: str) -> set[str]:
    """The columns of all tables of an output: each stands over a line of dashes."""
    lines = printed.splitlines()
    tables = [over for over, under in pairwise(lines) if re.fullmatch(r"-{2,}(  -{2,})+", under.strip())]
    return {column for over in tables for column in re.split(r" {2,}", over.strip())}


def test_a_row_that_fails_does_not_end_the_table(small: Path, tmp_path: Path) -> None:
    """Ours are held to a limit that nobody keeps, and one file is none."""
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no model")
    arguments = "--precision", "f32", "--rounds", "1", "--threads", "1"
    done = run("backends", "{'MOST_OFF': {'f32': -1.0}}", str(broken), str(small), *arguments)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "cannot: " in done.stdout
    assert "too far off: " in done.stdout
    assert "AUTO / best" in done.stdout


BROKEN = {
    "first_inference": f"{MODEL} --runs 1 --peer-python {shutil.which('false')}",
    "load": f"{MODEL} --runs 1 --threads 1",
    "mixed": "mobilenet_v3 --types Relu --count 1 --rounds 1 --calibration-ms 1",
    "rest": f"{MODEL} --threads 1 --rounds 1",
}
"""Of those that take files: what is said beside one that is none."""


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_is_none_has_a_row_that_says_so(name: str, small: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no model")
    done = run(name, SMALLEST[name].changes, str(broken), *BROKEN[name].replace(MODEL, str(small)).split())
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert re.search(r"^broken .*cannot: ", done.stdout, re.MULTILINE)
    assert {*SMALLEST[name].columns} <= headers(done.stdout)


def test_a_kernel_that_is_wrong_has_a_row_that_says_so() -> None:
    found = "lambda row: (lambda: row.inputs[0], 'reference kernel')"
    done = run("kernels", f"{{'ROUNDS': 1, 'our_call': {found}}}", "Relu", "Add 128")
    assert done.returncode == 1
    assert len(re.findall(r"^(?:Relu|Add) .*cannot: ", done.stdout, re.MULTILINE)) == 2


def run(name: str, changes: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A benchmark in a process of its own."""
    command = [sys.executable, "-c", RUN, name, changes, *arguments]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)

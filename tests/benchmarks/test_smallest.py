"""Every benchmark runs in its smallest form: what it prints is complete, whatever the times are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
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
        may_miss: whether it ends with status 1 where a time is not as wanted.
    """

    arguments: str
    changes: str
    says: str
    may_miss: bool = False


QUICK = "{'ROUNDS': 1}"
SMALL_NETWORKS = "{'profile_names': lambda: ['kirin'], **dict.fromkeys(('resnet50', 'detector'), module.mobilenet_v2)}"
SMALLEST = {
    "backends": Smallest("lenet --precision f32 --rounds 1 --threads 1", "{}", "AUTO / best"),
    "coverage": Smallest(f"{MODEL} --profile kirin", "{}", "most rejected"),
    "first_inference": Smallest(f"{MODEL} --runs 1 --peer-python {shutil.which('false')}", "{}", "FEIL s"),
    "kernels": Smallest("Relu", QUICK, "ratio"),
    "load": Smallest(
        f"{MODEL} --runs 1 --threads 1", "{'PAIRS': dict([*module.PAIRS.items()][:1])}", "process over alone"
    ),
    "mixed": Smallest("mobilenet_v3 --types Relu --count 1 --rounds 1 --calibration-ms 1", "{}", "AUTO / HETERO"),
    "models": Smallest("mobilenetv2_100 --rounds 1 --threads 1", "{}", "ONNX Runtime, ms"),
    "npu": Smallest(
        "estimates",
        SMALL_NETWORKS,
        "packing",
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
    "requests": Smallest("overhead", "{'ROUNDS': 3, 'CALLS': 2}", "plan"),
    "rest": Smallest("lenet --threads 1 --rounds 1", "{}", "none / auto"),
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


def run(name: str, changes: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A benchmark in a process of its own."""
    command = [sys.executable, "-c", RUN, name, changes, *arguments]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)

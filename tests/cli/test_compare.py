"""``lite-delegate compare`` as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lite_delegate.demo import load_test_set, model_path
from lite_delegate.formats.ms import write_ms
from tests.commands import call
from tests.runtime.graphs import chain

DELEGATE = """
import numpy as np
from lite_delegate import Delegate, Kernel, Supported

class Graph(Kernel):
    def __init__(self, run, model, bad):
        b = model.boundary_of(run)
        super().__init__("G", "G", b.inputs, b.outputs)
        self.run, self.bad = run, bad
    def execute(self):
        for node in self.run:
            node.execute()
            if node.name == self.bad:
                node.outputs[0].data = node.outputs[0].data * np.float32(1.1)

class Own(Delegate):
    name = "own"
    def __init__(self, options=None):
        self.bad = (options or {}).get("BAD", "")
    def supports(self, kernel):
        return Supported()
    def create_graph_kernel(self, run, model):
        return Graph(run, model, self.bad)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_own.py").write_text(DELEGATE)
    write_ms(chain(8), tmp_path / "chain.ms")
    np.save(tmp_path / "x.npy", np.ones((2, 3), np.float32))
    return tmp_path


OWN = ("compare", "chain.ms", "--delegate", "my_own:Own")
BAD = (*OWN, "--delegate-option", "BAD=n5", "--input", "x=x.npy")


def test_all_within_tolerance_is_status_0(folder: Path) -> None:
    done = call(*OWN, "--kernels", "--bisect", cwd=folder)
    assert done.stdout.splitlines()[:2] == [
        "explained  yes: all within tolerance",
        "usable     yes: every output has at least 20 dB and cosine 0.99",
    ]
    assert "note       Random inputs (seed 0): x." in done.stdout


def test_a_fault_is_status_1_and_named(folder: Path) -> None:
    done = call(*BAD, "--kernels", "--bisect", cwd=folder, status=1)
    assert "in subgraph 'G': 'n5' (AddFusion) is wrong by itself" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert done.stderr == ""


def test_json_and_markdown(folder: Path) -> None:
    data = json.loads(call(*BAD, "--format", "json", "--bisect", cwd=folder, status=1).stdout)
    assert (data["passed"], data["outcome"], data["delegate"]) == (False, "wrong", "own")
    assert data["culprits"][0]["found"]["kernels"] == ["n5"]
    call(*BAD, "--format", "markdown", "-o", "found.md", cwd=folder, status=1)
    assert (folder / "found.md").read_text().startswith("# Comparison of chain.ms\n")


def test_the_saved_command_shows_the_failure(folder: Path) -> None:
    done = call(*BAD, "--save", "repro", cwd=folder, status=1)
    assert "saved in repro/0-n5" in done.stdout
    (folder / "repro").rename(folder / "moved=repro")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    script = ["sh", str(folder / "moved=repro" / "0-n5" / "command.txt")]
    again = subprocess.run(script, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert (again.returncode, again.stderr) == (1, "")
    assert ["G", "n5:0", "wrong"] in [line.split()[:3] for line in again.stdout.splitlines()]
    assert "is there already" in call(*BAD, "--save", "moved=repro", cwd=folder, status=2).stderr


def test_a_tolerance_that_is_wide_enough(folder: Path) -> None:
    call(*BAD, "--rtol", "0.2", cwd=folder)
    call(*BAD, "--rtol", "0.2", "--atol", "0", cwd=folder)
    call(*BAD, "--atol", "1e-3", cwd=folder, status=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("compare", "chain.ms", "--delegate", "none"), "the model has no delegate"),
        (("compare", "missing.ms"), "missing.ms"),
        ((*OWN, "--rtol", "-1"), "rtol must be at least 0"),
        ((*OWN, "--input", "y=x.npy"), "the model's inputs are x"),
        ((*OWN, "--input", "x=x.npz"), "has no array of that name; it has y"),
        ((*OWN, "--input", "x=broken.npz"), "cannot read 'broken.npz'"),
        ((*OWN, "--save", "missing/deep"), "is not a directory"),
        ((*OWN, "-o", "missing/found.txt"), "is not a directory"),
    ],
    ids=["none", "no model", "rtol", "unknown input", "other name", "no archive", "save", "output"],
)
def test_mistakes_are_one_line_and_status_2(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    np.savez(folder / "x.npz", y=np.ones(1))
    (folder / "broken.npz").write_bytes(b"PK\x03\x04 nothing")
    done = call(*arguments, cwd=folder, status=2)
    (line,) = done.stderr.splitlines()
    assert line.startswith("lite-delegate: ")
    assert words in line


def test_the_demo_s_model_on_the_built_in_device(tmp_path: Path) -> None:
    images, _ = load_test_set()
    np.save(tmp_path / "images.npy", images[:4])
    for spec in ("npu", "npu:kirin"):
        done = call("compare", model_path(), "--delegate", spec, "--kernels", "--random-seed", 3, cwd=tmp_path)
        assert done.stdout.splitlines()[:2] == [
            "explained  yes: all within tolerance",
            "usable     yes: every output has at least 20 dB and cosine 0.99, the same class first",
        ]


def test_reference_kernels_are_compared_with_on_request(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lite_delegate import Context
    from lite_delegate.cli.options.build_options import BuildOptions

    made: list[Context] = []

    def noted() -> Context:
        made.append(Context())
        return made[-1]

    monkeypatch.setattr("lite_delegate.cli.options.build_options.Context", noted)
    for asked in (False, True):
        BuildOptions("none", wanted={"REFERENCE_KERNELS": asked}).model(model_path())
    assert [context.cpu.reference_kernels for context in made] == [False, True]
    done = call("compare", str(model_path()), "--delegate", "npu", "--reference-kernels")
    assert done.returncode == 0

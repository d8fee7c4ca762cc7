"""``run --on-delegate-error``: a device that fails in the prediction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite_delegate.formats.ms import write_ms
from tests.commands import call
from tests.runtime.graphs import chain

HOT_DELEGATE = """
from lite_delegate import Delegate, DelegateExecuteError, Kernel, Supported

class Graph(Kernel):
    def execute(self):
        raise DelegateExecuteError("the board is hot.")

class Hot(Delegate):
    name = "hot"
    def supports(self, kernel):
        return Supported()
    def create_graph_kernel(self, run, model):
        b = model.boundary_of(run)
        return Graph("G", "G", b.inputs, b.outputs)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_hot.py").write_text(HOT_DELEGATE)
    write_ms(chain(3), tmp_path / "chain.ms")
    np.save(tmp_path / "x.npy", np.ones((2, 3), np.float32))
    return tmp_path


RUN = ("run", "chain.ms", "--delegate", "my_hot:Hot", "--input", "x=x.npy")


@pytest.mark.parametrize("option", [(), ("--on-delegate-error", "raise")])
def test_a_failure_is_one_line_and_status_2(folder: Path, option: tuple[str, ...]) -> None:
    done = call(*RUN, *option, cwd=folder, status=2)
    assert done.stderr == "lite-delegate: the board is hot.\n"


def test_the_cpu_stands_in_and_the_command_says_so(folder: Path) -> None:
    done = call(*RUN, "--on-delegate-error", "fallback", "--output", "y.npz", "-q", cwd=folder)
    with np.load(folder / "y.npz") as outputs:
        np.testing.assert_array_equal(outputs["n2:0"], np.full((2, 3), 7))
    (line,) = done.stderr.splitlines()
    assert line.startswith("lite-delegate: warning: Subgraph 'G' failed on the device once, the CPU ran it instead")
    assert "the CPU ran in place of the device: G" in done.stdout


def test_settings_that_do_not_go_together(folder: Path) -> None:
    done = call(*RUN, "--on-delegate-error", "fallback", "--strict", cwd=folder, status=2)
    assert "strict mode allows no kernel on the CPU" in done.stderr
    assert "'raise', 'fallback'" in call(*RUN, "--on-delegate-error", "ignore", cwd=folder, status=2).stderr

"""The code of the page on contexts and tensors of devices runs, in its order, for both devices that it speaks of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lite_delegate.formats.ms import write_ms
from tests.pages import python_blocks, section
from tests.runtime.graphs import chain

BLOCKS = python_blocks(section("running.md", "Tensors on a device"))


@pytest.mark.parametrize(("device", "copies"), [("NPU", 0), ("CPU", 1)])  # the CPU's output is written at the commit
def test_the_code_of_the_page_runs(device: str, copies: int, tmp_path: Path) -> None:
    write_ms(chain(3), tmp_path / "model.ms")  # adds 1, 2 and 3
    code = "\n".join(BLOCKS).replace('"NPU"', f'"{device}"')
    code += "\nprint(seen.tolist(), results[0].tolist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [str(copies), f"{[[7.0] * 3] * 2} {[[13.0] * 3] * 2}"]

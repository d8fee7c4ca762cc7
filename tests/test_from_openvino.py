"""The code of the page for those who come from OpenVINO runs, in its order."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from lite_delegate.formats.ms import write_ms
from tests.runtime.graphs import chain

PAGE = (Path(__file__).parent.parent / "docs" / "from_openvino.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(tmp_path: Path) -> None:
    write_ms(chain(3), tmp_path / "model.ms")
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("['CPU', 'NPU'")  # and those whose packages are installed
    assert "(2, 3)" in lines
    assert "n2 NPU.kirin" in lines
    assert "{'NPU.kirin': 3} 1" in lines
    assert "['first']" in lines  # the callback of a run
    assert "8" in lines  # awaited
    assert str(list(range(8))) in lines  # a queue's callbacks
    assert "7.0 [('n2:0', 24, \"a step's result is written to the tensor at the commit\")]" in lines
    assert "12.0 64" in lines  # 0 + 6 + 6, by way of a tensor on the device
    assert "x 12.0" in lines  # a state after two steps
    assert "NPU_TILES = 2 (implied by other properties: PERFORMANCE_HINT THROUGHPUT) over -1 (default)" in lines
    assert lines[-4:-1] == ["supported", "cache miss: no entry for this content False", "cache hit True"]
    assert lines[-1].startswith("device.NPU.NPU_TURBO NO -> YES")

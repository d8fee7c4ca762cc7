"""Damaged and hostile model files end in one line, in little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

MOST_MB = 1024
"""Of a process: Python, numpy and the readers take about 100."""
MODELS = (".ms", ".onnx", ".tflite")
HARMLESS = ("crash-", "ov-pair")
"""How the names of models begin that show something on a certain runtime, or after another one, and run alone."""
RUN_EACH = """
import json, re, resource, sys
from tests.commands import invoke
resource.setrlimit(resource.RLIMIT_AS, (16 << 30,) * 2)  # so that one that goes wrong takes nobody else's
for path in sys.argv[1:]:
    done = invoke("run", path, "--memory-limit", "512M", "--step-limit", "10000")
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) / 1024  # not its parent's
    print(json.dumps([path, done.exit_code, done.stderr, peak]))
"""


@pytest.mark.shared
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
def test_each_ends_in_a_line(shared_models: Path) -> None:
    files = [path for path in sorted((shared_models / "broken").iterdir()) if path.suffix in MODELS]
    done = subprocess.run([sys.executable, "-c", RUN_EACH, *map(str, files)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [path for path, *_ in found] == [str(path) for path in files]
    assert [each for each in found if not is_right(*each)] == []


def is_right(path: str, status: int, said: str, peak: float) -> bool:
    """Whether the end of a run is one line of ours; memory that was asked for in vain was not reckoned before."""
    if status == 0 and Path(path).name.startswith(HARMLESS):
        return peak < MOST_MB
    line = said.splitlines()[-1]
    return status == 2 and line.startswith("lite-delegate: ") and "MemoryError" not in line and peak < MOST_MB

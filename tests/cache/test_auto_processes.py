"""Several processes that start AUTO at once with one cache."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from lite_delegate.demo import model_path

ATOL = 2e-2
"""What the device's float16 may add to outputs of about 1."""
CODE = """
import json, sys
import numpy as np
from lite_delegate import Core
core = Core()
core.set_property({"CACHE_DIR": sys.argv[1]})
print("ready", flush=True)
sys.stdin.readline()
compiled = core.compile_model(sys.argv[2], "AUTO:NPU,CPU")
inputs = [np.linspace(0, 1, int(np.prod(port.shape)), dtype=np.float32).reshape(port.shape) for port in compiled.inputs]
began = {"began": compiled.get_property("EXECUTION_DEVICES"), "stands_in": hasattr(compiled, "auto")}
first = compiled(inputs)[0]
if began["stands_in"]:
    assert compiled.wait_ready(60)
request = compiled.create_infer_request()
print(json.dumps({
    **began,
    "ended": compiled.get_property("EXECUTION_DEVICES"),
    "first": np.asarray(first).ravel().tolist(),
    "last": np.asarray(request.infer(inputs)[0]).ravel().tolist(),
}))
"""


def start_together(cache: Path, count: int) -> list[dict[str, Any]]:
    """What processes say that begin to compile at one moment; none of them has anything on standard error."""
    command = [sys.executable, "-c", CODE, str(cache), str(model_path())]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    processes = [subprocess.Popen(command, text=True, **pipes) for _ in range(count)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    ended = [process.communicate(timeout=120) for process in processes]
    assert [(process.returncode, said[1]) for process, said in zip(processes, ended, strict=True)] == [(0, "")] * count
    return [json.loads(said[0]) for said in ended]


def test_cold_ones_begin_on_the_cpu_and_warm_ones_on_the_device(tmp_path: Path) -> None:
    cold = start_together(tmp_path / "cache", 3)
    warm = start_together(tmp_path / "cache", 3)
    assert any(said["stands_in"] for said in cold)
    for said in warm:
        assert (said["began"], said["stands_in"], said["first"]) == (["NPU"], False, warm[0]["first"])
    for said in (*cold, *warm):
        assert (said["ended"], said["last"]) == (["NPU"], warm[0]["first"])
        np.testing.assert_allclose(said["first"], said["last"], rtol=0, atol=ATOL)

"""Context.copy_weights: a model whose files are cut while it lives goes on; without, the system ends the process."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, Model
from lite_delegate.flatbuffer.mapping import map_file
from tests.commands import invoke

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what a cut file does is the system's")
ROWS = 300
CODE = """
import os, sys
import numpy as np
from lite_delegate import Context, Model
from lite_delegate.cache import CacheOptions
path, cut, copies, cache = sys.argv[1:]
context = Context()
context.copy_weights = copies == "copies"
context.cpu.backends = "none"
context.cache = CacheOptions(cache) if cache else None
model = Model()
model.build_from_file(path, context=context)
os.truncate(cut, 100)
print(float(model.predict([np.ones((1, 300), np.float32)])[0].get_data_to_numpy().sum()))
print(model.cache_outcome.status, file=sys.stderr)
"""
BY_CORE = """
import os, sys
import numpy as np
from lite_delegate.devices.core import Core
path, cut, mapped, cache = sys.argv[1:]
core = Core()
call = core.import_model if path.endswith(".ldm") else core.compile_model
compiled = call(path, "CPU", {"ENABLE_MMAP": mapped, "CPU_BACKENDS": "NONE"})
os.truncate(cut, 100)
print(float(compiled([np.ones((1, 300), np.float32)])[0].sum()))
"""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, tuple[Path, Path]]:
    """Models by kind, each with the file that has its weights."""
    weights = numpy_helper.from_array(np.ones((ROWS, ROWS), np.float32), "w")
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, ROWS]) for name in "xy")
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [x], [y], [weights])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save_model(made, tmp_path / "whole.onnx")
    onnx.save_model(made, tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    from lite_delegate.formats.ms import write_ms
    from lite_delegate.formats.onnx import read_onnx

    read = read_onnx(tmp_path / "whole.onnx")
    write_ms(read, tmp_path / "m.ms")
    write_ms(read, tmp_path / "beside.ms", external_data_threshold=100)
    model = Model()
    model.build_from_file(tmp_path / "m.ms", context=Context())
    model.export(tmp_path / "m.ldm")
    names = {
        "ms": ("m.ms",) * 2,
        "msw": ("beside.ms", "beside.msw"),
        "onnx": ("m.onnx", "w.bin"),
        "ldm": ("m.ldm",) * 2,
    }
    return {kind: (tmp_path / a, tmp_path / b) for kind, (a, b) in names.items()}


def run(files: tuple[Path, Path], how: str, cache: str = "", code: str = CODE) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *map(str, files), how, cache], capture_output=True, text=True)


@pytest.mark.parametrize("kind", ["ms", "msw", "onnx", "ldm"])
def test_a_copy_outlives_its_file(files: dict[str, tuple[Path, Path]], kind: str) -> None:
    done = run(files[kind], "copies")
    assert (done.returncode, done.stdout) == (0, f"{float(ROWS * ROWS)}\n"), done.stderr


def test_so_it_does_through_a_cache(files: dict[str, tuple[Path, Path]], tmp_path: Path) -> None:
    content = files["ms"][0].read_bytes()
    for status in ("miss", "hit"):
        files["ms"][0].write_bytes(content)
        done = run(files["ms"], "copies", str(tmp_path / "cache"))
        assert (done.returncode, done.stdout) == (0, f"{float(ROWS * ROWS)}\n"), done.stderr
        assert done.stderr == f"{status}\n"


@pytest.mark.shows("runtime", "ENABLE_MMAP")
@pytest.mark.parametrize("kind", ["ms", "onnx", "ldm"])
def test_the_core_has_a_property_for_it(files: dict[str, tuple[Path, Path]], kind: str) -> None:
    content = files[kind][1].read_bytes()
    done = run(files[kind], "NO", code=BY_CORE)
    assert (done.returncode, done.stdout) == (0, f"{float(ROWS * ROWS)}\n"), done.stderr
    files[kind][1].write_bytes(content)
    assert run(files[kind], "YES", code=BY_CORE).returncode == -signal.SIGBUS


def test_a_context_has_it_under_both_names() -> None:
    context = Context()
    assert context.get_property("ENABLE_MMAP") is True
    context.set_property({"ENABLE_MMAP": "NO"})
    assert context.copy_weights is True
    context.copy_weights = False
    assert context.get_property("ENABLE_MMAP") is True


def test_the_section_and_the_commands_have_it(files: dict[str, tuple[Path, Path]], tmp_path: Path) -> None:
    """A file is a copy's, not mapped: what the readers were given says so."""
    taken: list[str] = []
    model, _ = files["ms"]

    def noted(path: Path) -> memoryview:
        content = map_file(path)
        taken.append(type(content.obj).__name__)
        return content

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lite_delegate.formats.ms.reader.map_file", noted)
        Model().build_from_file(model, config_dict={"lite_delegate": {"copy_weights": "yes"}})
        for command in (
            ["run"],
            ["report"],
            ["compile", "-o", tmp_path / "m.ldm"],
            ["convert", "-o", tmp_path / "c.ms"],
        ):
            done = invoke(command[0], model, *command[1:], "--copy-weights")
            assert done.exit_code == 0, done.output
    assert len(taken) == 5
    assert set(taken) == {"CopiedFile"}


def test_a_mapped_file_that_is_cut_ends_the_process(files: dict[str, tuple[Path, Path]]) -> None:
    assert run(files["ms"], "maps").returncode == -signal.SIGBUS


def test_it_is_a_bool() -> None:
    with pytest.raises(TypeError, match="copy_weights must be bool, but got int"):
        Context().copy_weights = 1  # type: ignore[assignment]

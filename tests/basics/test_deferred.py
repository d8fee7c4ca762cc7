"""Names that packages import when they are asked for: the same for type checkers as for Python, and only then."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import lite_delegate
from lite_delegate import CacheOptions, Context, Model
from lite_delegate.demo import model_path

PACKAGE = Path(lite_delegate.__file__).parent
DEFERRING = [path for path in sorted(PACKAGE.rglob("__init__.py")) if "_deferred(" in path.read_text(encoding="utf-8")]


def _names(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).parent.parts)


def _declared(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What type checkers see: names with the modules that they are from."""
    for block in tree.body:
        if isinstance(block, ast.If):
            imports = (each for each in block.body if isinstance(each, ast.ImportFrom))
            for each in imports:
                home = "." * (each.level - 1) + str(each.module)
                yield from ((alias.name, home) for alias in each.names)


def _homes(tree: ast.Module) -> dict[str, str]:
    """What Python sees."""
    (found,) = (each for each in ast.walk(tree) if isinstance(each, ast.Dict))
    homes: dict[str, str] = ast.literal_eval(found)
    return homes


@pytest.mark.parametrize("path", DEFERRING, ids=_names)
def test_type_checkers_and_python_see_the_same_names(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert _homes(tree) == dict(_declared(tree))


@pytest.mark.parametrize("path", DEFERRING, ids=_names)
def test_no_name_is_that_of_a_module_which_would_be_found_in_its_place(path: Path) -> None:
    modules = {each.stem for each in path.parent.iterdir()}
    assert modules.isdisjoint(_homes(ast.parse(path.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("path", DEFERRING, ids=_names)
def test_every_name_is_imported_when_it_is_asked_for(path: Path) -> None:
    code = f"import {_names(path)} as room\nfor name in room.__all__: getattr(room, name)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_name_that_there_is_not_is_named() -> None:
    name = "Modl"
    with pytest.raises(AttributeError, match=f"module 'lite_delegate' has no attribute '{name}'"):
        getattr(lite_delegate, name)


def test_modules_are_found_without_having_been_imported() -> None:
    code = "import lite_delegate as ld\nassert ld.ir.Graph and ld.formats.read_model and ld.inference.requests"
    subprocess.run([sys.executable, "-c", code], check=True)


COMPILED = "import lite_delegate as ld\nld.Core().compile_model(ld.demo.model_path(), 'CPU')"
"""Leaves no dimension open."""


@pytest.mark.parametrize(
    ("code", "unused"),
    [
        ("import lite_delegate", "numpy"),
        ("from lite_delegate import Context, Model", "lite_delegate.devices.core"),
        ("from lite_delegate import Context, Model", "importlib.metadata"),
        ("from lite_delegate import Context, Model", "concurrent.futures"),
        (COMPILED, "lite_delegate.inference.shapes.dynamic_plans"),
        ("import lite_delegate.batch", "numpy"),
        ("import lite_delegate.batch.engines.local", "numpy"),
        ("import lite_delegate.cli.batch, lite_delegate.cli.compare", "lite_delegate.devices.core"),
        ("import lite_delegate.cli.batch, lite_delegate.cli.compare", "lite_delegate.batch.driver.run"),
        ("import lite_delegate.report", "tabulate"),
    ],
)
def test_what_is_not_used_is_not_imported(code: str, unused: str) -> None:
    subprocess.run([sys.executable, "-c", f"{code}\nimport sys\nassert {unused!r} not in sys.modules"], check=True)


NOT_TO_RUN = (
    "lite_delegate.devices.core",
    "lite_delegate.formats.onnx.reader",
    "lite_delegate.formats.ms.writer",
    "lite_delegate.inference.requests.infer_request",
    "lite_delegate.inference.model_file.exported_sections",
    "lite_delegate.partition.planner",
    "lite_delegate.passes.optimize",
    "lite_delegate.runtime.planning.scheduler",
    "concurrent.futures",
    "flatbuffers",
    "networkx",
    "onnx",
    "shlex",
    "shutil",
    "zipfile",
)
"""What a process does without that predicts with what was compiled before."""
KEPT = f"""
import sys, numpy as np
from lite_delegate import CacheOptions, Context, Model
path, folder = sys.argv[1:]
context = Context()
context.cache = CacheOptions(folder) if folder else None
with Model() as model:
    model.build_from_file(path, context=context)
    model.predict([np.zeros(port.shape, np.float32) for port in model.get_inputs()])
    assert model.cache_outcome.status == ("hit" if folder else "disabled")
print(*sorted(sys.modules.keys() & set({NOT_TO_RUN!r})))
"""


@pytest.mark.parametrize("kept", ["cache", "file"])
def test_what_was_compiled_before_runs_without_what_compiles(kept: str, tmp_path: Path) -> None:
    context = Context()
    context.cache = CacheOptions(tmp_path / "cache")
    with Model() as model:
        model.build_from_file(model_path(), context=context)
        model.export(tmp_path / "model.ldm")
    given = (model_path(), tmp_path / "cache") if kept == "cache" else (tmp_path / "model.ldm", "")
    done = subprocess.run([sys.executable, "-c", KEPT, *map(str, given)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")


FAMILIES = (
    ("lite_delegate.formats.onnx.table", "lite_delegate.formats.onnx.converters", "CONVERTERS"),
    ("lite_delegate.backends.lowering.table", "lite_delegate.backends.lowering.families", "LOWERINGS"),
)
"""Tables of operators by family, the rooms of the families, and what each file calls what it has."""


@pytest.mark.parametrize(("table", "room", "name"), FAMILIES)
def test_tables_of_families_have_what_their_files_have(table: str, room: str, name: str) -> None:
    folder = Path(str(importlib.import_module(room).__file__)).parent
    modules = {path.stem: importlib.import_module(f"{room}.{path.stem}") for path in folder.glob("[a-z]*.py")}
    files = {family: sorted(getattr(module, name)) for family, module in modules.items() if hasattr(module, name)}
    del files["elementwise"]
    written = {family: sorted(names) for family, names in importlib.import_module(table).FAMILIES.items()}
    assert written == files


RARE = (
    "lite_delegate.backends.lowering.quantized",
    "lite_delegate.partition.orders.exact",
    "lite_delegate.partition.placement.placing",
    "lite_delegate.passes.limits.follow_limits",
    "lite_delegate.runtime.planning.following",
    "lite_delegate.runtime.planning.regions.regions",
    "lite_delegate.runtime.planning.rest.rest",
    "lite_delegate.runtime.planning.timing.timing",
)
"""What a model does without that one delegate takes whole."""
CONVOLVED = f"""
import sys
import numpy as np
import onnx
from lite_delegate import Context, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
info, weights = onnx.helper.make_tensor_value_info, onnx.numpy_helper.from_array(np.ones((2, 3, 1, 1), np.float32), "w")
nodes = [onnx.helper.make_node("Conv", ["x", "w"], ["c"]), onnx.helper.make_node("Relu", ["c"], ["y"])]
ends = [info("x", 1, [1, 3, 4, 4])], [info("y", 1, [1, 2, 4, 4])]
onnx.save(onnx.helper.make_model(onnx.helper.make_graph(nodes, "convolved", *ends, [weights])), sys.argv[1])
context = Context()
context.set_delegate(OnnxRuntimeDelegate())
with Model() as model:
    model.build_from_file(sys.argv[1], context=context)
    assert model.get_graph_kernels()
assert not sys.modules.keys() & set({RARE!r})
families = "lite_delegate.formats.onnx.converters.", "lite_delegate.backends.lowering.families."
print(*sorted(name.rpartition(".")[2] for name in sys.modules if name.startswith(families)))
"""
NEEDED = {"activation", "convolution", "elementwise", "windows"}
"""The families of a convolution and of an activation that becomes part of it."""


@pytest.mark.parametrize("name", [*NOT_TO_RUN, *RARE])
def test_what_is_not_to_be_loaded_is_there(name: str) -> None:
    assert find_spec(name) is not None, "a name that nobody has is never loaded"


def test_a_model_loads_the_families_of_its_operators(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    done = subprocess.run(
        [sys.executable, "-c", CONVOLVED, str(tmp_path / "m.onnx")], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert loaded >= NEEDED
    assert loaded.isdisjoint({"recurrent", "loop", "einsum", "resize", "resizing", "control_flow", "attention"})

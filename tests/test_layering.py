"""Imports point one way: each room may import only from the rooms listed for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).parent.parent
KERNELS, FAST, SCHEMAS = {"lite_delegate_kernels"}, {"lite_delegate_fast"}, {"lite_delegate_schemas"}
WORDS = {"basics", "errors", "ir"}
GRAPHS = WORDS | {"delegate", "tensors"} | KERNELS
PLANS = GRAPHS | {"formats", "partition", "passes", "properties", "remote", "runtime"}
MODELS = PLANS | {"cache", "flatbuffer", "inference", "sections"}
TOOLS = MODELS | {"devices", "mindspore", "numerics", "reporting"}
ALLOWED: dict[str, set[str]] = {
    "__main__": {"cli"},
    "backends": GRAPHS - KERNELS | {"formats", "properties", "semantics"},
    "basics": {"errors"},
    "batch": TOOLS | {"report", "version"} | KERNELS,
    "benchmark": TOOLS - {"devices"},
    "cache": {"basics", "errors", "sections"},
    "cli": TOOLS
    | {"batch", "benchmark", "compare", "conformance", "demo", "exporting", "lite_delegate", "onnx_backend", "report"},
    "compare": TOOLS,
    "conformance": TOOLS,
    "delegate": WORDS | {"properties", "remote", "tensors"},
    "demo": {"basics", "delegate", "mindspore", "report"},
    "devices": MODELS,
    "errors": set(),
    "exporting": MODELS | {"backends", "mindspore"},
    "flatbuffer": {"basics"} | SCHEMAS,
    "formats": WORDS | {"flatbuffer", "shapes", "tensors", "version"} | KERNELS | SCHEMAS,
    "inference": MODELS | {"reporting", "shapes", "version"},
    "ir": {"basics", "errors"} | KERNELS,
    "isolated": GRAPHS | {"devices", "properties", "remote", "shapes"},
    "mindspore": MODELS | {"devices", "trying"},
    "npu": GRAPHS - KERNELS
    | {"flatbuffer", "formats", "passes", "properties", "remote", "semantics", "version"}
    | SCHEMAS,
    "numerics": {"basics", "ir"} | KERNELS,
    "onnx_backend": MODELS | {"backends", "devices", "exporting", "mindspore"},
    "partition": {"basics", "delegate", "errors"},
    "passes": GRAPHS - {"tensors"} | {"shapes"} | FAST,
    "plots": TOOLS | {"benchmark", "compare", "report"},
    "properties": {"basics", "errors"},
    "remote": WORDS | {"tensors"} | KERNELS,
    "report": MODELS | {"mindspore", "reporting", "shapes"},
    "reporting": {"basics", "errors"},
    "runtime": PLANS | {"shapes"} | FAST,
    "sections": {"basics", "errors", "flatbuffer"},
    "semantics": GRAPHS - KERNELS,
    "shapes": {"basics", "ir"} | KERNELS | FAST,
    "tensors": WORDS | KERNELS,
    "testing": GRAPHS - KERNELS | {"mindspore", "partition", "runtime"},
    "trying": MODELS,
    "version": set(),
}
"""What each room may import beside itself, for types only and inside of functions, too."""
FOUND_BY_NAME = {
    f"lite_delegate/devices/registry/delegate_source.py: lite_delegate.{name}"
    for name in (
        "npu",
        "backends.openvino",
        "backends.onnxruntime",
        "backends.qnn",
        "backends.litert",
        "backends.ethosu",
    )
} | {"lite_delegate/delegate/delegate.py: lite_delegate.isolated"}
"""Modules of rooms above that strings name: delegates of the package are found by name, as installed ones are."""
MOST_FILES = 15
ONE_EACH = {
    "backends/lowering/families",
    "backends/tflite_file/direct",
    "cli",
    "conformance/cases",
    "formats/onnx/converters",
    "formats/tflite/converters",
    "npu/device/instructions",
    "npu/operators",
}
"""Rooms of any number of files: each file is a command, an operator or a family of operators."""
NPU_ROOMS: dict[str, set[str]] = {
    "queue": set(),
    "device": {"queue"},
    "semantics": {"device"},
    "profiles": set(),
    "ir": {"device", "profiles"},
    "options": {"device", "profiles", "ir"},
    "cost": {"device", "profiles", "ir"},
    "blob": {"device", "ir"},
    "operators": {"device", "semantics", "profiles", "ir"},
    "passes": {"device", "ir"},
    "compiler": {"device", "profiles", "ir", "operators", "cost", "passes"},
    "driver_ir": {"device", "compiler", "ir", "operators", "profiles", "semantics"},
    "execution": {"device", "queue", "profiles", "ir", "options", "cost", "blob", "compiler", "driver_ir"},
}
"""Inside of npu/: what each room may import beside itself. ``delegate.py``, which joins them, may import all."""
INTERNAL: dict[str, set[str]] = {
    "conformance.cases": set(),
    "conformance.shrinking": set(),
    "conformance.workers": set(),
    "formats.onnx.converters": set(),
    "formats.tflite.converters": set(),
    "npu": {"cli"},
    **{f"npu.{inner}": set() for inner in NPU_ROOMS},
    "passes.fusion": set(),
    "passes.transposes": {"npu"},
    "report.html": set(),
    "runtime.binding": {"compare", "exporting", "inference", "mindspore", "report", "testing", "trying"},
    "runtime.budget": {"cli", "inference", "mindspore"},
    "runtime.drafting": {"compare"},
    "runtime.execution": {"cli", "compare", "devices", "inference", "mindspore", "trying"},
    "runtime.lifetimes": {"inference", "mindspore"},
    "runtime.planning": {"compare", "inference", "report"},
}
"""What is inside of a room, and which other rooms may import from it all the same."""
THIRD_PARTY: dict[str, set[str]] = {
    "networkx": {"ir", "partition"},
    "flatbuffers": {"flatbuffer"},
    "matplotlib": {"plots"},
    "pandas": {"reporting"},
    "tabulate": {"reporting"},
    "rich": {"reporting", "cli"},
    "click": {"cli"},
    "threadpoolctl": {"runtime"},
    "onnx": {"formats", "onnx_backend"},
    "tflite": {"formats"},
    "ai_edge_litert": {"backends"},
}


def sources(root: Path) -> Iterator[Path]:
    return (path for path in sorted(root.rglob("*.py")) if "_generated" not in path.parts)


@cache
def imported(path: Path, package: tuple[str, ...]) -> tuple[str, ...]:
    """Absolute dotted names of everything a file imports, wherever in the file."""
    return tuple(_imported(path, package))


def _imported(path: Path, package: tuple[str, ...]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            prefix = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            base = ".".join(part for part in (prefix, node.module or "") if part)
            yield from (f"{base}.{alias.name}" for alias in node.names)


def room(dotted: str) -> str:
    """The room that a dotted name is in; the top-level name for everything outside the package."""
    first, _, rest = dotted.partition(".")
    if first != "lite_delegate":
        return first
    inner = rest.partition(".")[0]
    return inner if inner in ALLOWED else "lite_delegate"


def circles(files: Sequence[Path], root: Path) -> list[set[str]]:
    """The groups of files that import each other in a circle, imports in functions and for types alone included."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    modules = {_module(path, root): path for path in files}
    for module, path in modules.items():
        package = path.relative_to(root).parts[:-1]
        for name in imported(path, package):
            target = name if name in modules else name.rpartition(".")[0]
            if target in modules:
                graph.add_edge(module, target)
    return [group for group in nx.strongly_connected_components(graph) if len(group) > 1]


def room_circles(folder: Path, files: Sequence[Path], root: Path) -> list[set[str]]:
    """The groups of files and rooms in a folder that import each other in a circle; each room in it counts as one."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    inside = (*folder.relative_to(root).parts,)
    depth = len(inside)
    for path in files:
        parts = path.relative_to(root).with_suffix("").parts
        if parts[:depth] != inside or parts[depth] == "__init__":
            continue
        for name in imported(path, parts[:-1]):
            target = tuple(name.split("."))
            if target[:depth] == inside and len(target) > depth + 1 and target[depth] != parts[depth]:
                graph.add_edge(parts[depth], target[depth])
    return [group for group in nx.strongly_connected_components(graph) if len(group) > 1]


def _module(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


FILES = list(sources(ROOT / "lite_delegate"))


ROOMS = sorted({path.relative_to(ROOT).with_suffix("").parts[1] for path in FILES} - {"__init__"})


@pytest.mark.parametrize("mine", ROOMS)
def test_imports_point_one_way(mine: str) -> None:
    assert mine in ALLOWED, f"add the room '{mine}' to ALLOWED"
    ours = {"lite_delegate", *ALLOWED} | KERNELS | FAST | SCHEMAS
    libraries = {library for library, rooms in THIRD_PARTY.items() if mine not in rooms}
    wrong = {}
    for path in FILES:
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[1] == mine:
            found = {room(name) for name in imported(path, parts[:-1])}
            wrong[str(path)] = found & (ours - ALLOWED[mine] - {mine} | libraries)
    assert {path: names for path, names in wrong.items() if names} == {}


@pytest.mark.parametrize("mine", ROOMS)
def test_strings_name_no_module_of_a_room_above(mine: str) -> None:
    modules = {_module(path, ROOT) for path in FILES} - {"lite_delegate"}  # the name of the package is no import
    found = {
        f"{path.relative_to(ROOT)}: {node.value}"
        for path in FILES
        if path.relative_to(ROOT).with_suffix("").parts[1] == mine
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in modules and room(node.value) not in ALLOWED[mine] | {mine}
    }
    assert found <= FOUND_BY_NAME


@pytest.mark.parametrize("internal", INTERNAL)
def test_what_is_inside_of_a_room_stays_there(internal: str) -> None:
    inside, mine = f"lite_delegate.{internal}.", internal.partition(".")[0]
    assert (ROOT / inside.replace(".", "/")).is_dir()
    found = {
        room(_module(path, ROOT))
        for path in FILES
        if any(f"{name}.".startswith(inside) for name in imported(path, path.relative_to(ROOT).parts[:-1]))
    }
    assert found - {mine} <= INTERNAL[internal]


@pytest.mark.parametrize("room_name", NPU_ROOMS)
def test_rooms_of_the_npu_point_one_way(room_name: str) -> None:
    folder = ROOT / "lite_delegate" / "npu" / room_name
    for path in sources(folder):
        names = imported(path, path.relative_to(ROOT).parts[:-1])
        inner = {name.split(".")[2] for name in names if name.startswith("lite_delegate.npu.")}
        assert inner <= NPU_ROOMS[room_name] | {room_name}, path


def test_the_npu_has_no_files_beside_its_rooms() -> None:
    folder = ROOT / "lite_delegate" / "npu"
    assert {p.name for p in folder.iterdir() if p.is_dir() and p.name != "__pycache__"} == set(NPU_ROOMS)
    assert {p.name for p in folder.glob("*.py")} == {"__init__.py", "delegate.py"}


FOLDERS = sorted({path.parent for path in FILES})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: str(p.relative_to(ROOT)))
def test_rooms_inside_of_a_room_point_one_way(folder: Path) -> None:
    """What is inside of a room, its own files and whole rooms in it, does not import in a circle."""
    assert room_circles(folder, FILES, ROOT) == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: str(p.relative_to(ROOT)))
def test_rooms_can_be_taken_in_at_a_glance(folder: Path) -> None:
    name = folder.relative_to(ROOT / "lite_delegate").as_posix()
    files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert name in ONE_EACH or len(files) <= MOST_FILES


def test_nothing_lies_beside_the_rooms() -> None:
    beside = {path.stem for path in (ROOT / "lite_delegate").glob("*.py")}
    assert beside == {"__init__", "__main__", "errors", "version"}


@pytest.mark.parametrize("top", ["lite_delegate", "kernels/lite_delegate_kernels", "kernels/lite_delegate_fast"])
def test_no_imports_in_a_circle(top: str) -> None:
    folder = ROOT / top
    assert circles(sorted(folder.rglob("*.py")), folder.parent) == []


def test_kernels_import_numpy_only_and_fast_ones_the_others() -> None:
    library = {
        "__future__",
        "collections",
        "dataclasses",
        "functools",
        "importlib",
        "inspect",
        "itertools",
        "math",
        "re",
        "reprlib",
        "typing",
    }
    for path in sources(ROOT / "kernels"):
        folder = path.relative_to(ROOT / "kernels").parent.parts
        names = {name.partition(".")[0] for name in imported(path, folder)}
        assert names <= library | {"numpy"} | KERNELS | ({folder[0]} & FAST), path


def test_the_check_sees_a_wrong_import(tmp_path: Path) -> None:
    source = tmp_path / "x.py"
    source.write_text("def f():\n    from ..runtime import Model\n    import networkx as nx\n")
    names = set(imported(source, ("lite_delegate", "npu")))
    assert names == {"lite_delegate.runtime.Model", "networkx"}
    assert {room(n) for n in names} == {"runtime", "networkx"}


def test_the_check_sees_a_circle(tmp_path: Path) -> None:
    texts = {
        "a.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .b import B\n",
        "b.py": "def f():\n    from .inner import g\n",
        "inner/__init__.py": "from ..a import A\n",
        "free.py": "from . import a, b\n",
    }
    for name, text in texts.items():
        file = tmp_path / "house" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert circles(sorted(tmp_path.rglob("*.py")), tmp_path) == [{"house.a", "house.b", "house.inner"}]


def test_the_check_sees_rooms_in_a_circle(tmp_path: Path) -> None:
    texts = {
        "house/upper/a.py": "from ..lower.b import B\n",
        "house/lower/b.py": "B = 1\n",
        "house/lower/c.py": "from ..upper.d import D\n",
        "house/upper/d.py": "D = 1\n",
    }
    for name, text in texts.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    files = sorted(tmp_path.rglob("*.py"))
    assert circles(files, tmp_path) == []
    assert room_circles(tmp_path / "house", files, tmp_path) == [{"upper", "lower"}]


def test_data_classes_are_made_by_our_decorator() -> None:
    """Not by the decorator of the standard library, which takes four times as long when a module is imported."""
    theirs = {"lite_delegate/basics/data_class.py"}
    word = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
    found = {str(path.relative_to(ROOT)) for path in FILES if word.search(path.read_text(encoding="utf-8"))}
    assert found - theirs == set()

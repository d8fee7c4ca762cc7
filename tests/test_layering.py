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
BASE = {
    "dlpack",
    "errors",
    "forking",
    "operator_names",
    "properties",
    "unforeseen",
    "similar",
    "ir",
    "remote",
    "strings",
    "tensor",
    "tensor_memory",
    "tensor_meta",
}
BASE |= KERNELS | SCHEMAS | {"tensor_meta"}
EVERYWHERE = {"counted", "data_class", "deferred", "opening", "processors"}
"""How modules are written, numbers are said, files are opened and processors are counted, whatever they are about."""
MIDDLE = BASE | {"failures", "formats", "passes", "delegate", "partition"}
WORDS = {
    "built_model",
    "config_file",
    "context_backends",
    "context_options",
    "context_settings",
    "device_info",
    "device_tensor",
    "model_building",
    "model_config",
    "model_plans",
    "model_remote",
    "model_type",
    "model_words",
    "npu_device",
    "parallel_info",
    "weights",
}
FACADE = MIDDLE | WORDS | {"cache", "context", "model", "inference", "runtime", "trying", "warned"}
ABOVE_RUNTIME = FACADE | {"reporting", "numerics"}
ALLOWED: dict[str, set[str]] = {
    "counted": set(),
    "data_class": set(),
    "deferred": set(),
    "opening": set(),
    "processors": set(),
    "digest": {"flatbuffer"},
    "errors": set(),
    "unforeseen": {"errors"},
    "forking": set(),
    "helper_process": set(),
    "trying": MIDDLE | {"helper_process", "inference", "runtime", "trying"},
    "failures": {"errors"},
    "properties": {"errors", "properties", "similar", "warned"},
    "files": {"errors"},
    "reporting": {"errors", "reporting"},
    "numerics": {"ir", "numerics"} | KERNELS,
    "ir": {"errors", "ir", "operator_names", "similar"} | KERNELS,
    "dlpack": {"errors"} | KERNELS,
    "box": {"errors"},
    "strings": KERNELS,
    "tensor": {"box", "dlpack", "errors", "ir", "strings", "tensor_memory"} | KERNELS,
    "tensor_memory": {"errors", "ir", "unforeseen"} | KERNELS,
    "tensor_meta": {"ir", "tensor"},
    "remote": {"box", "dlpack", "errors", "forking", "ir", "remote", "tensor"} | KERNELS,
    "flatbuffer": {"flatbuffer"} | SCHEMAS,
    "cache": {"cache", "errors", "sections"},
    "sections": {"digest", "errors", "flatbuffer"},
    "version": set(),
    "operator_names": {"similar"},
    "similar": set(),
    "shapes": {"ir", "shapes"} | KERNELS | FAST,
    "formats": BASE | {"files", "flatbuffer", "formats", "shapes", "version"},
    "passes": BASE | {"delegate", "passes", "shapes"} | FAST,
    "delegate": BASE | {"delegate"},
    "partition": BASE | {"delegate", "partition"},
    "runtime": MIDDLE | {"runtime", "shapes"} | FAST,
    "inference": MIDDLE
    | {
        "cache",
        "digest",
        "files",
        "flatbuffer",
        "inference",
        "reporting",
        "runtime",
        "sections",
        "shapes",
        "version",
        "warned",
    },
    "warned": {"errors", "failures"},
    "testing": FACADE | {"testing"},
    "built_model": FACADE | {"files"},
    "context": FACADE,
    "core": FACADE | {"devices", "flatbuffer"},
    **dict.fromkeys(WORDS - {"built_model"} | {"lite_infer", "model_group", "parallel_runner"}, FACADE),
    "npu_device": FACADE | {"devices"},
    "context_backends": FACADE | {"devices"},
    "converter": FACADE | {"files"},
    "model": FACADE,
    "model_building": FACADE | {"flatbuffer", "sections"},
    "semantics": BASE - KERNELS | {"delegate", "semantics"},
    "npu": BASE - KERNELS | {"delegate", "formats", "semantics", "files", "flatbuffer", "npu", "passes", "version"},
    "backends": BASE - KERNELS | {"backends", "delegate", "formats", "semantics", "version"},
    "report": FACADE | {"reporting", "report", "sections", "shapes"},
    "delegate_class": {"errors", "similar", "delegate"},
    "delegate_spec": {"errors", "delegate", "delegate_class", "devices", "similar", "warned"},
    "devices": FACADE - {"context", "model"} | {"delegate_class", "devices"},
    "conformance": ABOVE_RUNTIME | {"delegate_spec", "conformance", "helper_process"},
    "compare": ABOVE_RUNTIME | {"delegate_spec", "compare"},
    "demo": FACADE | {"report", "demo"},
    "benchmark": ABOVE_RUNTIME | {"benchmark"},
    "onnx_backend": FACADE | {"delegate_spec"},
    "onnx_file": FACADE | {"backends", "files"},
    "cli": FACADE
    | {
        "onnx_file",
        "core",
        "delegate_spec",
        "devices",
        "files",
        "flatbuffer",
        "npu",
        "report",
        "conformance",
        "compare",
        "demo",
        "benchmark",
        "cli",
        "lite_delegate",
        "reporting",
        "sections",
    },
    "__main__": {"cli"},
}
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
RUNTIME_ROOMS: dict[str, set[str]] = {
    "budget": set(),
    "binding": {"budget"},
    "drafting": set(),
    "lifetimes": set(),
    "records": set(),
    "settings": {"binding", "budget", "records"},
    "execution": {"binding", "budget", "drafting", "lifetimes", "records", "settings"},
    "planning.timing": {"binding", "budget", "drafting", "lifetimes", "records", "settings", "execution"},
    "planning": {"binding", "budget", "drafting", "lifetimes", "records", "settings", "execution", "planning.timing"},
}
"""Inside of runtime/: what each room may import beside itself, also lazily and for types only."""
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
    "runtime.binding": {"compare", "context", "inference", "report", "testing", "trying"},
    "runtime.budget": {"cli", "context_options", "context_settings"},
    "runtime.drafting": {"compare"},
    "runtime.execution": {"cli", "compare", "devices", "inference", "model", "model_plans", "model_remote", "trying"},
    "runtime.lifetimes": {"inference", "model_plans"},
    "runtime.planning": {"compare", "inference", "report"},
}
"""What is inside of a room, and which other rooms may import from it all the same."""
THIRD_PARTY: dict[str, set[str]] = {
    "networkx": {"ir", "partition"},
    "flatbuffers": {"flatbuffer"},
    "tabulate": {"reporting", "report", "cli"},
    "click": {"cli"},
    "threadpoolctl": {"runtime"},
    "onnx": {"formats", "onnx_backend"},
    "tflite": {"formats"},
    "tqdm": {"cli"},
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
            wrong[str(path)] = found & (ours - ALLOWED[mine] - EVERYWHERE | libraries)
    assert {path: names for path, names in wrong.items() if names} == {}


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


def runtime_room(dotted: str) -> str:
    """The room of runtime/ that a dotted name is in, the innermost that has a rule; "" for a name elsewhere."""
    inside = dotted.removeprefix("lite_delegate.runtime.")
    if inside == dotted:
        return ""
    return next((name for name in RUNTIME_ROOMS if f"{inside}.".startswith(f"{name}.")), inside)


RUNTIME = list(sources(ROOT / "lite_delegate" / "runtime"))


def test_rooms_of_the_runtime_point_one_way() -> None:
    for path in RUNTIME:
        _check_room_of_the_runtime(path)


def _check_room_of_the_runtime(path: Path) -> None:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[2] == "__init__":
        return
    mine = runtime_room(".".join(parts))
    assert mine in RUNTIME_ROOMS, f"add the room '{mine}' to RUNTIME_ROOMS"
    found = {runtime_room(name) for name in imported(path, parts[:-1])}
    assert found <= RUNTIME_ROOMS[mine] | {mine, ""}, path


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
        "itertools",
        "math",
        "re",
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


def test_data_classes_are_made_by_our_decorator() -> None:
    """``from .data_class import dataclass``: the standard library's takes four times as long when it is imported."""
    theirs = {"lite_delegate/data_class.py"}
    word = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
    found = {str(path.relative_to(ROOT)) for path in FILES if word.search(path.read_text(encoding="utf-8"))}
    assert found - theirs == set()

"""The public names and signatures of every public room, compared with the files in ``public_api/``.

After a deliberate change: ``python tests/test_public_api.py`` writes the files anew; the diff is the change.
"""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from enum import Enum
from pathlib import Path
from types import ModuleType

import pytest

from lite_delegate.mindspore.context.setting import Setting

LISTINGS = Path(__file__).parent / "public_api"
ROOMS = (
    "lite_delegate",
    "lite_delegate.benchmark",
    "lite_delegate.compare",
    "lite_delegate.conformance",
    "lite_delegate.delegate",
    "lite_delegate.devices",
    "lite_delegate.exporting",
    "lite_delegate.formats",
    "lite_delegate.formats.ms",
    "lite_delegate.formats.onnx",
    "lite_delegate.formats.tflite",
    "lite_delegate.inference",
    "lite_delegate.ir",
    "lite_delegate.isolated",
    "lite_delegate.npu",
    "lite_delegate.onnx_backend",
    "lite_delegate.partition",
    "lite_delegate.partition.placement",
    "lite_delegate.passes",
    "lite_delegate.plots",
    "lite_delegate.properties",
    "lite_delegate.report",
    "lite_delegate.testing",
    "lite_delegate_fast",
    "lite_delegate_kernels",
)
"""The rooms that users, authors of delegates and of passes import from. What no room lists may change any day."""


def public_api(room: str) -> str:
    module = importlib.import_module(room)
    return "\n".join(line for name in sorted(module.__all__) for line in describe(module, name)) + "\n"


def describe(module: ModuleType, name: str) -> list[str]:
    thing = getattr(module, name)
    if inspect.isfunction(thing):
        return [f"{name}{inspect.signature(thing)}"]
    if not inspect.isclass(thing):
        return [f"{name}: {type(thing).__name__}"]
    if issubclass(thing, Enum):
        return [f"{name}: {', '.join(f'{m.name}={m.value}' for m in thing)}"]
    if issubclass(thing, (Exception, Warning)):
        return [f"{name}({', '.join(base.__name__ for base in thing.__bases__)})"]
    members = {n: m for cls in reversed(thing.__mro__[:-1]) for n, m in vars(cls).items() if not n.startswith("_")}
    return [f"{name}{signature(thing)}", *(f"  {member(n, m)}" for n, m in sorted(members.items()))]


def signature(thing: object) -> str:
    try:
        return str(inspect.signature(thing))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""


def member(name: str, thing: object) -> str:
    if isinstance(thing, (property, Setting)):
        return f"{name}: property"
    if isinstance(thing, (classmethod, staticmethod)):
        thing = thing.__func__
    return f"{name}{inspect.signature(thing)}" if inspect.isfunction(thing) else name


@pytest.mark.parametrize("room", ROOMS)
def test_names_and_signatures_are_as_listed(room: str) -> None:
    listing = LISTINGS / f"{room}.txt"
    assert public_api(room) == listing.read_text(encoding="utf-8"), "run: python tests/test_public_api.py"


def test_every_listing_is_of_a_room() -> None:
    assert {path.stem for path in LISTINGS.iterdir()} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_all_lists_every_public_name(room: str) -> None:
    module = importlib.import_module(room)
    names = set(module.__all__)
    assert sorted(n for n in names if not hasattr(module, n)) == []
    ours = {n: getattr(m, "__module__", None) or "" for n, m in vars(module).items() if not n.startswith("_")}
    defines = room in ours.values()  # then what it imports is for its own code; else it is there to be offered
    offered = {n for n, origin in ours.items() if (origin == room if defines else origin.startswith("lite_delegate"))}
    assert sorted(offered - names) == []


def test_importing_loads_no_slow_library() -> None:
    slow = {"networkx", "flatbuffers", "click", "tabulate", "threadpoolctl", "statistics", "decimal"}
    code = f"import sys, lite_delegate; print({slow} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


if __name__ == "__main__":
    LISTINGS.mkdir(exist_ok=True)
    for each in ROOMS:
        (LISTINGS / f"{each}.txt").write_text(public_api(each), encoding="utf-8")

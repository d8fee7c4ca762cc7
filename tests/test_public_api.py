"""The public names and signatures, compared with ``public_api.txt``.

After a deliberate change: ``python tests/test_public_api.py`` writes the file anew; the diff is the change.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from enum import Enum
from pathlib import Path
from types import UnionType

import lite_delegate

LISTING = Path(__file__).parent / "public_api.txt"


def public_api() -> str:
    return "\n".join(line for name in sorted(lite_delegate.__all__) for line in describe(name)) + "\n"


def describe(name: str) -> list[str]:
    thing = getattr(lite_delegate, name)
    if isinstance(thing, (str, UnionType)):
        return [f"{name} = {thing}" if isinstance(thing, UnionType) else name]
    if inspect.isfunction(thing):
        return [f"{name}{inspect.signature(thing)}"]
    if issubclass(thing, Enum):
        return [f"{name}: {', '.join(f'{m.name}={m.value}' for m in thing)}"]
    if issubclass(thing, (Exception, Warning)):
        return [f"{name}({', '.join(base.__name__ for base in thing.__bases__)})"]
    members = {n: m for cls in reversed(thing.__mro__[:-1]) for n, m in vars(cls).items() if not n.startswith("_")}
    return [f"{name}{inspect.signature(thing)}", *(f"  {member(n, m)}" for n, m in sorted(members.items()))]


def member(name: str, thing: object) -> str:
    if isinstance(thing, property):
        return f"{name}: property"
    if isinstance(thing, classmethod):
        thing = thing.__func__
    return f"{name}{inspect.signature(thing)}" if inspect.isfunction(thing) else name


def test_names_and_signatures_are_as_listed() -> None:
    assert public_api() == LISTING.read_text(encoding="utf-8")


def test_all_lists_every_public_name() -> None:
    modules = {n for n, m in vars(lite_delegate).items() if inspect.ismodule(m)}
    names = {n for n in vars(lite_delegate) if not n.startswith("_")} - modules - {"annotations"}
    assert names == {n for n in lite_delegate.__all__ if not n.startswith("_")}


def test_importing_loads_no_slow_library() -> None:
    slow = {"networkx", "flatbuffers", "click", "tabulate", "threadpoolctl"}
    code = f"import sys, lite_delegate; print({slow} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


if __name__ == "__main__":
    LISTING.write_text(public_api(), encoding="utf-8")

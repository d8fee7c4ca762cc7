"""One class name, one class: a reader who meets a name in one room knows the class of that name in all rooms."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
DEFINED_TWICE = {
    "Loss": "public: a loss of digits in `compare`, a loss of time in `partition.placement`",
    "Outcome": "public: the end of a comparison in `compare`, the end of a request's run in `inference`",
    "Stage": "public: when a defect showed in `conformance`, the part of a run in `inference`",
    "Verdict": "public: on a claim in `conformance`, on the gain of delegating in `report`",
}
"""Class names with more than one class, and why; a name that gets a single class leaves this table."""


def classes(root: Path) -> dict[str, list[str]]:
    """The modules that define each class name, private names and classes inside of functions included."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path.relative_to(root).as_posix())
    return found


def defined_twice(root: Path) -> dict[str, list[str]]:
    return {name: modules for name, modules in classes(root).items() if len(modules) > 1}


def test_a_class_name_has_one_class() -> None:
    found = defined_twice(ROOT / "lite_delegate")
    unexpected = {name: modules for name, modules in found.items() if name not in DEFINED_TWICE}
    assert not unexpected, f"Class names defined more than once; name each class by what it holds: {unexpected}"


def test_exceptions_are_still_needed() -> None:
    assert sorted(defined_twice(ROOT / "lite_delegate")) == sorted(DEFINED_TWICE)


def test_the_check_sees_a_second_class(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "pool.py").write_text("class Pool: pass\nclass Other: pass\n")
    (tmp_path / "geometry.py").write_text("def f():\n    class Pool: pass\n")
    assert defined_twice(tmp_path) == {"Pool": ["geometry.py", "room/pool.py"]}

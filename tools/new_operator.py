"""Scaffolds what an operator of the schema needs from file to device: ``python tools/new_operator.py NAME``.

What it writes runs and passes its tests: everywhere the operator gives its first input. Say in each file what it really
gives; the tests hold the files to each other.
"""

from __future__ import annotations

import argparse
import difflib
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from lite_delegate.ir import make_primitive
from lite_delegate.ir import primitives as schema

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = Path(__file__).resolve().parent / "new_operator_templates"
KERNELS, CASES = Path("kernels/lite_delegate_kernels"), Path("lite_delegate/conformance/cases")
TRAITS = Path("lite_delegate/ir/traits/table.py")
NPU, FORMATS = Path("lite_delegate/npu/operators"), Path("lite_delegate/formats")
ROWS = {"onnx": '    "{origin}": _one("{name}"),\n', "tflite": '    "{origin}": same("{name}"),\n'}
"""A converter's row for an operator of one input and no attributes, in the families that have such rows."""


class Unfit(Exception):
    """A request that cannot be met; the message says what to do."""


def file_name(name: str) -> str:
    """The operator's name as files and functions have it: ``Conv2DFusion`` is ``conv2d_fusion``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def keywords(attributes: Mapping[str, Any]) -> str:
    """The attributes as keyword parameters with the schema's defaults; empty where there are none."""
    types = {bool: "bool", int: "int", float: "float", str: "str"}
    parameters = [f"{n}: {types.get(type(d), 'Sequence[int] | None')} = {d!r}" for n, d in attributes.items()]
    return f", *, {', '.join(parameters)}" if parameters else ""


def add_row(path: Path, row: str, among: str) -> None:
    """Puts a row into a table that is sorted, where it belongs.

    Args:
        path: the file.
        row: a whole line.
        among: what the table's rows match; the last unbroken stretch of such lines is the table.

    Raises:
        Unfit: the file has no such table, or has the row.
    """
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    matching = [i for i, line in enumerate(lines) if re.fullmatch(among, line)]
    if not matching or row in lines:
        raise Unfit(f"{path} has {'that row already' if row in lines else 'no table for it: add the row by hand'}.")
    at = next((i for i in matching if lines[i] > row), matching[-1] + 1)
    path.write_text("".join([*lines[:at], row, *lines[at:]]), encoding="utf-8")


def write(root: Path, template: str, path: Path, **names: str) -> Path:
    """A new file from a template; raises Unfit where it is there already."""
    if (root / path).exists():
        raise Unfit(f"{path} is there already.")
    text = Template((TEMPLATES / template).read_text(encoding="utf-8")).substitute(names)
    (root / path).write_text(text, encoding="utf-8")
    return path


def scaffold(root: Path, name: str, *, npu: bool, origins: Mapping[str, str]) -> list[Path]:
    """Writes the files of an operator and its rows in tables.

    Args:
        root: of the repository.
        name: in the schema.
        npu: whether the NPU gets it, too.
        origins: the operator's name in ONNX and TFLite, by format; an operator of elements.

    Returns:
        The paths, relative to ``root``, of what was written or changed by hand's stead.

    Raises:
        Unfit: a name that the schema lacks, or an operator that is there already.
    """
    if name not in schema.__all__:
        near = difflib.get_close_matches(name, schema.__all__, 3)
        raise Unfit(f"The schema has no primitive '{name}'{': did you mean ' + ', '.join(near) + '?' if near else '.'}")
    snake, given = file_name(name), keywords(make_primitive(name).attributes())
    sequences = "from collections.abc import Sequence\n\n" if "Sequence" in given else ""
    changed = [
        write(root, "kernel.txt", KERNELS / f"op_{snake}.py", name=name, snake=snake, given=given, sequences=sequences),
        write(root, "case.txt", CASES / f"case_{snake}.py", name=name),
        KERNELS / "all_kernels.py",
        TRAITS,
    ]
    add_row(root / KERNELS / "all_kernels.py", f'    "{snake}",\n', r'    "\w+",\n')
    add_row(root / TRAITS, f'    "{name}": Traits(UNARY),\n', r'    "\w+": Traits\(.*\),\n')
    if npu:
        changed += [write(root, "npu.txt", NPU / f"op_{snake}.py", name=name, snake=snake), NPU / "all_operators.py"]
        add_row(root / changed[-1], f"    op_{snake},\n", r"    op_\w+,\n")
        add_row(root / changed[-1], f"    op_{snake}.OPERATOR,\n", r"    op_\w+\.OPERATOR,\n")
    for format_, origin in origins.items():
        changed.append(FORMATS / format_ / "converters" / "elementwise.py")
        add_row(root / changed[-1], ROWS[format_].format(origin=origin, name=name), r'    "\w+": .*\),\n')
    return changed


def main(arguments: Sequence[str]) -> None:
    """Writes the files, formats them, and brings the documents up to date."""
    parser = argparse.ArgumentParser(description="Scaffolds an operator: kernel, conformance cases, NPU, converters.")
    parser.add_argument("name", metavar="NAME", help="the schema's name, as in Conv2DFusion")
    parser.add_argument("--npu", action="store_true", help="the NPU gets it, too")
    parser.add_argument("--onnx", metavar="OPERATOR", help="its name in ONNX")
    parser.add_argument("--tflite", metavar="OPERATOR", help="its name in TFLite")
    asked = parser.parse_args(arguments)
    origins = {f: origin for f, origin in (("onnx", asked.onnx), ("tflite", asked.tflite)) if origin is not None}
    try:
        changed = scaffold(ROOT, asked.name, npu=asked.npu, origins=origins)
    except Unfit as e:
        parser.error(str(e))
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", *changed], cwd=ROOT, check=True)
    subprocess.run([sys.executable, "-m", "tools.operators_table"], cwd=ROOT, check=True)
    print("Written; the operator gives its input until these say otherwise:", *changed, sep="\n  ")
    print(f"Then: python -m tools.operators_table, and lite-delegate conformance --op {asked.name} --delegate none")


if __name__ == "__main__":
    main(sys.argv[1:])

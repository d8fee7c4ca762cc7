"""Generates readers, layout data and primitive classes from ``fbs/*.fbs``.

``python -m lite_delegate_schemas.generate`` rewrites them in the source tree; ``--check`` compares instead and
exits with 1 when a file differs. Both need flatc.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ._emit_ir import emit_enums, emit_exports, emit_primitives
from ._emit_layout import HEADER, emit_layout
from ._emit_readers import emit_readers
from ._fbs import NPU_BLOB_FILES, parse_schema

SOURCES = Path(__file__).resolve().parents[2]
"""The source tree: generation works in a checkout, not in an installed package."""

READERS = "schemas/lite_delegate_schemas/_generated"
IR = "lite_delegate/ir"


def generated_files() -> dict[str, str]:
    """Every generated file: path relative to the source tree, and text.

    Raises:
        RuntimeError: flatc is missing, has another version or fails.
        ValueError: the schema files are not in the subset that the parser reads.
    """
    schema = parse_schema()
    files = {f"{READERS}/{name}": text for name, text in emit_readers().items()}
    files[f"{READERS}/__init__.py"] = HEADER + '"""Readers made by flatc, and the schema as plain data."""\n'
    files[f"{READERS}/layout.py"] = emit_layout(schema)
    files[f"{READERS}/npu_blob_layout.py"] = emit_layout(parse_schema(files=NPU_BLOB_FILES))
    files[f"{IR}/_generated/__init__.py"] = HEADER + '"""Enums and primitive classes made from the schema."""\n'
    files[f"{IR}/_generated/enums.py"] = emit_enums(schema)
    files[f"{IR}/_generated/primitives.py"] = emit_primitives(schema)
    files[f"{IR}/primitives.py"] = emit_exports(schema)
    return files


def stale_files(root: Path = SOURCES) -> list[str]:
    """Paths below ``root`` that differ from what would be generated, that are missing, or that nothing makes."""
    files = generated_files()
    stale = [path for path, text in files.items() if _read(root / path) != text]
    folders = (READERS, f"{IR}/_generated")
    present = {f"{folder}/{f.name}" for folder in folders for f in (root / folder).glob("*.py")}
    return sorted([*stale, *(present - set(files))])


def write_files(root: Path = SOURCES) -> int:
    """Writes every generated file below ``root``; returns their number."""
    files = generated_files()
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return len(files)


def main(arguments: list[str] | None = None) -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="lite_delegate_schemas.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the committed files, write nothing")
    options = parser.parse_args(arguments)
    if not (SOURCES / IR).is_dir():
        print(f"{SOURCES} is no source tree: run this in a checkout", file=sys.stderr)
        return 2
    if not options.check:
        print(f"wrote {write_files()} files below {SOURCES}")
        return 0
    stale = stale_files()
    for path in stale:
        print(f"{path} is not what the schema gives", file=sys.stderr)
    return 1 if stale else 0


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main())

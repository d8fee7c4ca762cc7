"""The coverage of model files by an NPU profile: subgraphs, their minimum, coverage, and the obstacles to more.

Run: python benchmarks/coverage.py MODEL... [--profile NAME]... [--option NAME=VALUE]... [--format github]

Open dimensions are planned as ``lite-delegate report`` plans them. A model that cannot be planned gets a row that says
why. Each row is one model on one profile; "most rejected" is the operator and reason that keep most nodes on the CPU.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tabulate import tabulate

from lite_delegate.npu.profiles import profile_names

COLUMNS = ("model", "profile", "subgraphs", "minimum", "kernels", "coverage", "most rejected")


def row(model: Path, profile: str, options: Sequence[str]) -> list[object]:
    """A row of the table, from the JSON of ``lite-delegate report`` in a process of its own."""
    command = [sys.executable, "-m", "lite_delegate", "report", str(model), "--delegate", f"npu:{profile}"]
    done = subprocess.run([*command, "--format", "json", *options], capture_output=True, text=True, check=False)
    if done.returncode:
        problem = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return [model.name, profile, None, None, None, None, problem]
    report = json.loads(done.stdout)
    counts = len(report["subgraphs"]), report["minimum_subgraphs"], report["kernels_total"]
    return [model.name, profile, *counts, f"{report['coverage']:.1%}", most_rejected(report["nodes"])]


def most_rejected(nodes: Sequence[dict[str, str | None]]) -> str:
    """The operator and reason that keep most nodes on the CPU, "" where none is there; shapes are one example of it."""
    left = [node for node in nodes if node["subgraph"] is None]
    if not left:
        return ""
    (kind, code), count = Counter((node["type"], node["code"]) for node in left).most_common(1)[0]
    reason = next(node["reason"] for node in left if (node["type"], node["code"]) == (kind, code))
    return f"{count} of {len(left)}: {kind}, {code}: {reason}"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--profile", action="append", choices=profile_names(), help="repeatable; all without it")
    parser.add_argument("--option", action="append", default=[], help="of lite-delegate report, such as --option=-x")
    parser.add_argument("--format", default="simple", help="of the table, as tabulate names it")
    arguments = parser.parse_args()
    profiles = arguments.profile or profile_names()
    rows = [row(model, profile, arguments.option) for model in arguments.models for profile in profiles]
    print(tabulate(rows, COLUMNS, tablefmt=arguments.format))


if __name__ == "__main__":
    main()

"""Damages files of every kind that is read, and lets them be read, built and run: ``python -m tests.fuzz --help``.

A mutation that ends in anything but an answer or one of our errors is a finding: its file and its traceback are kept
below the state's folder. An interrupted campaign goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.campaign import Campaign
from tests.fuzz.seeds import SEEDS

STRIDE = 2_000
"""Mutations of one kind before the next kind has its turn."""


def main(arguments: Sequence[str]) -> int:
    """The command; 1 where there are findings."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--kind", action="append", choices=list(SEEDS), help="Repeatable; all by default.")
    parser.add_argument(
        "--count", type=int, default=100_000, help="Mutations of each kind, those done before included."
    )
    parser.add_argument("--state", type=Path, default=Path(".fuzz"), help="Folder of the state; findings are below it.")
    parser.add_argument("--seconds", type=float, default=20, help="CPU time for a file.")
    parser.add_argument("--megabytes", type=int, default=8192, help="Address space of a worker.")
    options = parser.parse_args(arguments)
    options.state.mkdir(parents=True, exist_ok=True)
    kinds = options.kind or list(SEEDS)
    campaigns = [Campaign(kind, options.state, options.seconds, options.megabytes) for kind in kinds]
    started = time.monotonic()
    while unfinished := [c for c in campaigns if c.state.done < options.count]:
        for campaign in unfinished:
            campaign.run(min(options.count, campaign.state.done + STRIDE))
            state = campaign.state
            seconds, outcomes = time.monotonic() - started, dict(sorted(state.outcomes.items()))
            found = f"{state.done} judged, {len(state.findings)} findings"
            print(f"{seconds:8.0f} s  {state.kind}: {found}, {outcomes}", flush=True)
    return int(any(c.state.findings for c in campaigns))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

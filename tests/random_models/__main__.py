"""Random models through every delegate, judged by what computes plainly: ``python -m tests.random_models``.

A wrong result, an error that is no refusal, and a process that ends are findings: each is made small and kept below the
state's folder with its inputs. An interrupted campaign goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.random_models.campaign import Campaign

STRIDE = 50
"""Models between two lines that say how far it is."""


def main(arguments: Sequence[str]) -> int:
    """The command; 1 where there are findings."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_models", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="Models, those judged before included.")
    parser.add_argument("--first", type=int, default=0, help="The seed of the first, of a new campaign.")
    parser.add_argument("--configurations", default="", help="A regular expression: openvino, ^npu:, ^none$.")
    parser.add_argument("--state", type=Path, default=Path(".fuzz/models"), help="Folder of the state and findings.")
    parser.add_argument("--seconds", type=float, default=120, help="CPU time for a model.")
    parser.add_argument("--megabytes", type=int, default=16384, help="Address space of a worker.")
    options = parser.parse_args(arguments)
    campaign = Campaign(options.state, options.configurations, options.seconds, options.megabytes, options.first)
    started, last = time.monotonic(), options.first + options.count
    while campaign.state.done < last:
        campaign.run(min(last, campaign.state.done + STRIDE))
        state, seconds = campaign.state, time.monotonic() - started
        print(f"{seconds:8.0f} s  {state.done} judged, {len(state.findings)} findings", flush=True)
    for name, outcomes in campaign.state.outcomes.items():
        print(f"{name}: {', '.join(f'{count} {outcome}' for outcome, count in sorted(outcomes.items()))}")
    return int(bool(campaign.state.findings))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

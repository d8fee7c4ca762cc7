"""A worker: judges the models of a stretch of seeds, and prints a line of JSON for each.

It dies over its CPU time for a model, or where a runtime ends the process, and so says at which model that was.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import resource
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict

from tests.random_models.configurations import CONFIGURATIONS, chosen
from tests.random_models.judging import judged
from tests.random_models.models import sample


def main(arguments: Sequence[str]) -> None:
    """Judges the models from ``--start`` to before ``--stop``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--start", type=int, required=True)
    parser.add_argument("--stop", type=int, required=True)
    parser.add_argument("--configurations", default="")
    parser.add_argument("--megabytes", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args(arguments)
    configurations = [CONFIGURATIONS["none"], *(c for c in chosen(options.configurations) if c.name != "none")]
    resource.setrlimit(resource.RLIMIT_AS, (options.megabytes << 20, options.megabytes << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what runtimes print is no line of ours
    for seed in range(options.start, options.stop):
        signal.setitimer(signal.ITIMER_PROF, options.seconds)
        found = [asdict(each) for each in judged(sample(seed), configurations)]
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps({"number": seed, "judgements": found}), file=lines, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

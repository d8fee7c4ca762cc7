"""Lines of JSON from a worker process that judges numbered things, and may die or hang at one of them."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

THREADS = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")


def worker_lines(command: Sequence[str], start: int, stop: int, wall: float) -> Iterator[dict[str, Any]]:
    """What a worker says, line by line; where it died, last a line with the number of that and a ``finding``.

    Args:
        command: starts the worker; each of its lines has the ``number`` of what it judged.
        start: the first number.
        stop: the number behind the last.
        wall: seconds that it may take once it has closed its output.
    """
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, **THREADS}
        )
        last = start - 1
        try:
            assert process.stdout is not None
            for text in process.stdout:
                line = json.loads(text)
                last = line["number"]
                yield line
            process.wait(wall)
        finally:
            process.kill()
            process.wait()
        if last + 1 < stop:
            errors.seek(0)
            yield {"number": last + 1, "finding": f"{errors.read()}\nworker died: {process.returncode}"}

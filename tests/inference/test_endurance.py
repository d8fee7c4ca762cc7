"""Long use of one process leaves nothing behind; the whole of it at night, a slice each time."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.inference.endurance import NIGHTLY, endure


def test_a_slice_leaves_no_thread_file_or_device_memory() -> None:
    endure({"runs": 200, "compilations": 5, "shapes": 20, "lost devices": 5})


@pytest.mark.nightly
def test_memory_threads_and_files_are_unchanged() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.inference.endurance"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(kind in done.stdout for kind in NIGHTLY)

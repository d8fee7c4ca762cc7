"""Places and lengths that are outside: an error, and never memory that is not ours, whoever looks at them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from functools import cache

import pytest

from tests.backends.openvino.places_inside import CHECKS
from tests.backends.places import AMOUNTS, MODES, TAKERS

BACKENDS = ("onnxruntime", "openvino")
SECONDS = 300


@cache
def told_by(*command: str) -> Mapping[str, object]:
    """What a worker says is wrong, by name; what is behind the end of a process is missing."""
    worker = [sys.executable, "-m", *command]
    run = subprocess.run(worker, capture_output=True, text=True, timeout=SECONDS, check=False)
    return dict(map(json.loads, run.stdout.splitlines()))


@pytest.mark.parametrize("name", TAKERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_an_index_outside_is_an_error(backend: str, mode: str, name: str) -> None:
    pytest.importorskip(backend)
    assert told_by("tests.backends.places", backend).get(f"{mode} {name}", "was not reached") == []


@pytest.mark.parametrize("name", CHECKS)
def test_graphs_inside_and_exported_models(name: str) -> None:
    pytest.importorskip("openvino")
    assert told_by("tests.backends.openvino.places_inside").get(name, "was not reached") == ""


@pytest.mark.parametrize("name", AMOUNTS)
@pytest.mark.parametrize("is_constant", [True, False])
@pytest.mark.parametrize("backend", BACKENDS)
def test_amounts_mean_what_they_mean_on_the_cpu(backend: str, is_constant: bool, name: str) -> None:
    pytest.importorskip(backend)
    assert told_by("tests.backends.places", backend).get(f"{name}, constant: {is_constant}", "was not reached") == []

"""A benchmark says whether what was measured is usable."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lite_delegate import InputError
from lite_delegate.benchmark import BenchmarkOptions, BenchmarkReport, RunLimits, benchmark, benchmark_schema, checking
from tests.compare.losing import Exact, HalfDevice, built, far_from_zero, layer_norm
from tests.compare.planted import Planted
from tests.present import present

jsonschema = pytest.importorskip("jsonschema")
ONCE = BenchmarkOptions(warmup=0, limits=RunLimits(1, None))


def report(delegate: Planted, shift: float = 0.0, options: BenchmarkOptions = ONCE) -> BenchmarkReport:
    inputs = {"x": far_from_zero()["x"] + np.float32(shift)}
    return benchmark(built(layer_norm(), delegate), inputs, options).report


def test_a_model_that_rounding_ruins_is_said_to_be_not_usable() -> None:
    found = report(HalfDevice())
    check = present(found.usable)
    assert check.usable is False
    assert present(check.outputs[0].snr_db) < 0
    assert "usable      no: against the CPU alone, for these inputs, 'normed:0'" in found.to_text()
    assert "**usable**: no" in found.to_markdown()


def test_one_that_it_does_not_ruin_is_usable() -> None:
    found = report(HalfDevice(), shift=-100)
    assert present(found.usable).usable is True
    assert "usable      yes: every output has at least 20 dB" in found.to_text()


def test_delegates_that_store_numbers_as_they_are_need_no_check() -> None:
    found = report(Planted())
    assert found.usable is None
    assert "usable" not in found.to_text()
    assert report(Exact()).usable is None


def test_it_can_be_left_out() -> None:
    assert report(HalfDevice(), options=BenchmarkOptions(0, RunLimits(1, None), check=False)).usable is None


def test_what_would_take_too_long_is_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "MOST_US", 0.0)
    found = present(report(HalfDevice()).usable)
    assert found.usable is None
    assert "the CPU is estimated to take" in found.text


def test_what_the_cpu_cannot_run_is_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise InputError("no kernel.")

    monkeypatch.setattr(checking, "compile_for_shapes", fail)
    assert "the CPU cannot run it: no kernel." in present(report(HalfDevice()).usable).text


@pytest.mark.parametrize("shift", [0, -100])
def test_the_json_is_what_the_schema_says(shift: float) -> None:
    data = json.loads(report(HalfDevice(), shift).to_json())
    jsonschema.Draft202012Validator(benchmark_schema()).validate(data)
    assert data["usable"]["usable"] is (shift != 0)

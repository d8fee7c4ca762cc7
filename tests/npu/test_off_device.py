"""Compiling for a device that is not there, with more tiles than its profile has, and running the file where it is."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import (
    CacheStatus,
    Core,
    DelegateBuildError,
    DelegateError,
    DelegateUnavailable,
    InputError,
    PropertyError,
)
from lite_delegate.demo import model_path
from lite_delegate.formats.ms import write_ms
from lite_delegate.inference import CompiledModel
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.execution.graph import NPUGraph
from tests.commands import call
from tests.passes.random_graphs import Builder

DEVICES = "LITE_DELEGATE_NPU_DEVICES"
DEVICE = "NPU.4000"
EIGHT: Mapping[str, object] = {"NPU_SIMULATE_ABSENT": "YES", "NPU_MAX_TILES": 8, "NPU_TILES": 8}
SET = [f"--delegate-option={name}={value}" for name, value in EIGHT.items()]
OPTIONS = ("--delegate=npu.4000", *SET)
RNG = np.random.default_rng(3)
X, WEIGHT = (RNG.normal(size=shape).astype(np.float32) for shape in ((256, 512), (512, 256)))
pytestmark = pytest.mark.filterwarnings("ignore:.*compiles off-device")


@pytest.fixture(autouse=True)
def no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DEVICES, raising=False)


def product() -> Graph:
    """A matrix product that has work for many tiles."""
    b = Builder()
    return b.graph(b.node("MatMulFusion", b.input("x", X.shape), b.const(WEIGHT), shapes=(256, 256)))


def off_device(**properties: object) -> CompiledModel:
    return Core().compile_model(product(), DEVICE, {**EIGHT, **properties})


def core_with(monkeypatch: pytest.MonkeyPatch, devices: str) -> Core:
    monkeypatch.setenv(DEVICES, devices)
    return Core()


def estimate(compiled: CompiledModel) -> float:
    (subgraph,) = compiled.partition.subgraphs
    assert subgraph.estimated_us is not None
    return subgraph.estimated_us


def tiles(compiled: CompiledModel) -> int:
    """The most compute tiles that a step has."""
    (graph,) = compiled.graph_kernels
    assert isinstance(graph, NPUGraph)
    return max(step.tiles for model in graph.models for step in model.program.steps)


@pytest.mark.shows("NPU", "NPU_MAX_TILES", "NPU_TILES", "NPU_SIMULATE_ABSENT")
def test_a_file_for_eight_tiles_runs_where_they_are_as_if_it_was_compiled_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled = off_device()
    data = compiled.export_model()
    assert tiles(compiled) == 8
    there = core_with(monkeypatch, "4000:8")
    expected = there.compile_model(product(), DEVICE, {"NPU_TILES": 8})
    assert data == expected.export_model()
    assert estimate(compiled) == estimate(expected) < estimate(there.compile_model(product(), DEVICE, {"NPU_TILES": 6}))
    result = expected([X])[0]
    np.testing.assert_allclose(result, X.astype(np.float64) @ WEIGHT, atol=0.1)
    for core in (there, core_with(monkeypatch, "4000:9")):
        assert core.check_compatibility(data, DEVICE).verdict == "supported"
        imported = core.import_model(data, DEVICE)
        np.testing.assert_array_equal(imported([X])[0], result)
        assert not imported.partition.delegates[0].off_device
        assert tiles(imported) == 8


@pytest.mark.parametrize("devices", ["4000", "4000:7", "3720,4000:2"])
def test_a_device_with_fewer_tiles_refuses_it(monkeypatch: pytest.MonkeyPatch, devices: str) -> None:
    data = off_device().export_model()
    core, most = core_with(monkeypatch, devices), int(devices.partition("4000:")[2] or 6)
    said = (
        f"The model was compiled for 8 tiles, programs may use {most} here (NPU_MAX_TILES; NPU 4000 has {most}). "
        f"Compile it with NPU_TILES {most} or less, or import it on a device with 8 tiles."
    )
    with pytest.raises(DelegateBuildError) as raised:
        core.import_model(data, DEVICE)
    assert str(raised.value) == said
    found = core.check_compatibility(data, DEVICE)
    assert (found.verdict, found.reasons) == ("supported after recompiling", (said,))


def test_what_was_compiled_off_device_does_not_run_here_and_says_so() -> None:
    with pytest.warns(match="off-device, for npu4000, 8 tiles, .*export it, and import it where the device is"):
        compiled = off_device()
    with pytest.raises(DelegateError, match=r"device must be there .* Export the model compiled off-device"):
        compiled([X])
    with pytest.raises(DelegateError, match="device must be there"):
        compiled.create_infer_request().infer([X])
    assert compiled.partition.delegates[0].off_device.startswith("npu4000, 8 tiles, ")
    assert compiled.get_property("NPU_MAX_TILES") == compiled.get_property("NPU_TILES") == 8
    with pytest.raises(PropertyError, match="NPU_MAX_TILES is fixed when a model is compiled"):
        compiled.set_property({"NPU_MAX_TILES": 6})
    again = Core().import_model(compiled.export_model(), DEVICE, EIGHT)
    assert again.export_model() == compiled.export_model()
    with pytest.raises(DelegateError, match="device must be there"):
        again([X])


def test_the_device_stays_absent_and_others_keep_theirs() -> None:
    core = Core()
    here = core.compile_model(product(), DEVICE)
    taken = core.telemetry(DEVICE).memory
    core.set_property("NPU", {"NPU_SIMULATE_ABSENT": "YES", "NPU_MAX_TILES": 8})
    assert "NPU" not in core.available_devices
    elsewhere = core.compile_model(product(), DEVICE)
    assert core.telemetry(DEVICE).memory == taken
    elsewhere.close()
    assert here([X])[0].shape == (256, 256)
    assert "NPU" not in str(core.compile_model(product(), "AUTO").get_property("EXECUTION_DEVICES"))


def test_without_a_number_of_tiles_a_device_that_is_not_there_compiles_nothing() -> None:
    for given in ({}, {"NPU_MAX_TILES": 0}):
        with pytest.raises(DelegateUnavailable, match="there is no device"):
            Core().compile_model(product(), DEVICE, {"NPU_SIMULATE_ABSENT": "YES", **given})


def test_a_platform_that_is_not_listed_is_compiled_for(monkeypatch: pytest.MonkeyPatch) -> None:
    core = core_with(monkeypatch, "3720")
    assert tiles(core.compile_model(product(), DEVICE, {"NPU_MAX_TILES": 8, "NPU_TILES": 8})) == 8
    with pytest.raises(PropertyError, match="may be 2 at most, as many as NPU 3720 has, got 8"):
        core.compile_model(product(), "NPU.3720", {"NPU_MAX_TILES": 8})


def test_a_device_that_comes_back_has_what_it_has() -> None:
    core = Core()
    core.set_property(DEVICE, EIGHT)
    with pytest.raises(PropertyError, match="may be 6 at most, as many as NPU 4000 has, got 8"):
        core.set_property(DEVICE, {"NPU_SIMULATE_ABSENT": "NO"})
    core.set_property(DEVICE, {"NPU_SIMULATE_ABSENT": "NO", "NPU_MAX_TILES": 0, "NPU_TILES": 0})
    assert core.get_property(DEVICE, "NPU_MAX_TILES") == 6


def test_times_are_not_measured_on_a_device_that_is_not_there() -> None:
    with pytest.raises(DelegateUnavailable, match=r"calibration needs its device: .* there is no device"):
        off_device().calibrate(runs=1)


def test_a_blob_alone_is_for_as_many_tiles() -> None:
    (graph,) = off_device().graph_kernels
    assert isinstance(graph, NPUGraph)
    with pytest.raises(DelegateBuildError, match="was compiled for 8 tiles, programs may use 6 here"):
        NPUDelegate("npu4000").import_blob(graph.export_blob())


def test_a_query_says_what_it_is_for() -> None:
    found = Core().query_model(product(), DEVICE, EIGHT)
    assert set(found.where.values()) == {DEVICE}
    assert ", 8 tiles, " in f", {found.partition.delegates[0].off_device}"


def test_the_cpu_stands_in_where_that_is_allowed() -> None:
    own = {"DEVICE_PROPERTIES": {DEVICE: EIGHT}}
    compiled = Core().compile_model(product(), f"HETERO:{DEVICE},CPU", own)
    assert tiles(compiled) == 8
    with pytest.raises(DelegateError, match="device must be there"):
        compiled([X])
    falls_back = Core().compile_model(product(), f"HETERO:{DEVICE},CPU", {"ON_DEVICE_ERROR": "FALLBACK", **own})
    result = falls_back([X])[0]
    assert "device must be there" in falls_back.partition.subgraphs[0].error
    np.testing.assert_allclose(result, X.astype(np.float64) @ WEIGHT, atol=1e-3)


@pytest.mark.parametrize("most", [8, 10])
def test_a_cache_that_was_filled_off_device_serves_the_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    path = tmp_path / "m.ms"
    write_ms(product(), path)

    def status(core: Core, **properties: object) -> CacheStatus:
        core.set_property({"CACHE_DIR": tmp_path / "cache"})
        return core.compile_model(path, DEVICE, properties).cache_outcome.status

    elsewhere = {**EIGHT, "NPU_MAX_TILES": most}
    assert status(Core(), NPU_TILES=6) is CacheStatus.MISS
    assert [status(Core(), **elsewhere) for _ in range(2)] == [CacheStatus.MISS, CacheStatus.HIT]
    assert status(core_with(monkeypatch, f"4000:{most}"), NPU_TILES=8) is CacheStatus.HIT
    assert status(core_with(monkeypatch, f"4000:{most + 1}"), NPU_TILES=8) is CacheStatus.MISS


def test_what_does_not_fit_the_device_is_told_when_it_is_compiled(tmp_path: Path) -> None:
    profile = tmp_path / "small.toml"
    profile.write_text('base = "npu4000"\ndescription = "little memory"\n[memory]\ndram_bytes = 1048576\n')
    b = Builder()
    graph = b.graph(b.node("MatMulFusion", b.input("x", (1, 1024)), b.weights(1024, 1024), shapes=(1, 1024)))
    with pytest.raises(DelegateError, match="bytes of device memory"):
        Core().compile_model(graph, f"npu:{profile}", EIGHT)


@pytest.mark.parametrize("devices", ["4000:0", "4000:65", "4000:x", "4000:", ":8", "4000:8:8", "4000:²"])
def test_a_number_of_tiles_that_no_device_has(monkeypatch: pytest.MonkeyPatch, devices: str) -> None:
    core = core_with(monkeypatch, devices)
    with pytest.raises(InputError, match=f"1 to 64 tiles, found '{devices}'"):
        core.get_property("NPU", "NPU_MAX_TILES")


def test_the_commands_compile_it_and_run_it_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "m.ldm"
    done = call("compile", model_path(), *OPTIONS, "-o", file)
    assert "npu4000, 8 tiles" in done.stderr
    assert "OFF-DEVICE" in call("report", file, *OPTIONS).stdout
    report = json.loads(call("report", model_path(), *OPTIONS, "--format", "json").stdout)
    assert report["delegates"][0]["off_device"].startswith("npu4000, 8 tiles")
    told = dict(line.split()[1:3] for line in call("info", file).stdout.splitlines() if "TILES" in line)
    assert told == {"NPU_MAX_TILES": "8", "NPU_TILES": "8"}
    refused = call("run", file, "--delegate", "npu.4000", status=2)
    assert "compiled for 8 tiles, programs may use 6 here" in refused.stderr
    outputs: list[np.ndarray] = []
    for model, more in ((file, ()), (model_path(), ("--delegate-option", "NPU_TILES=8"))):
        output = tmp_path / f"{len(outputs)}.npz"
        env = {DEVICES: "4000:8", "PATH": os.environ["PATH"]}
        call("run", model, "--delegate", "npu.4000", *more, "-o", output, env=env)
        with np.load(output) as arrays:
            outputs.append(arrays["probabilities"])
    np.testing.assert_array_equal(outputs[0], outputs[1])
    assert "device must be there" in call("run", file, *OPTIONS, status=2).stderr
    assert "may be 6 at most, as many as NPU 4000 has, got 8" in (
        call("compile", model_path(), OPTIONS[0], *SET[1:], "-o", file, status=2).stderr
    )

"""The cache of compiled models as properties of ``Core``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pytest

from lite_delegate import (
    CacheMiss,
    CacheStatus,
    CacheWarning,
    FallbackError,
    InputError,
    PartitionOptions,
    PropertyError,
    PropertyWarning,
)
from lite_delegate.cache.lock import locked
from lite_delegate.demo import model_path
from lite_delegate.devices.core import Core
from lite_delegate.formats.ms import write_ms
from lite_delegate.inference import CompiledModel
from lite_delegate.properties import Layer
from tests.inference.model_file.models import WEIGHT, ExportingDelegate, X, run, weighted

PARTS = "HETERO:ACME,CPU"
EXPECTED = np.maximum(X + WEIGHT, 0) + 101


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_ms(weighted(), tmp_path / "m.ms")
    return tmp_path / "m.ms"


@pytest.fixture
def core(tmp_path: Path) -> Core:
    return core_with(ExportingDelegate(), tmp_path)


def core_with(delegate: ExportingDelegate, tmp_path: Path | None) -> Core:
    core = Core()
    core.register_device("ACME", lambda options: delegate)
    if tmp_path is not None:
        core.set_property({"CACHE_DIR": tmp_path / "cache"})
    return core


def entries(tmp_path: Path) -> list[str]:
    return sorted(each.name for each in (tmp_path / "cache").iterdir() if each.suffix != ".lock")


def status(compiled: CompiledModel) -> CacheStatus:
    return compiled.cache_outcome.status


@pytest.mark.shows("runtime", "CACHE_DIR")
@pytest.mark.shows("model", "LOADED_FROM_CACHE")
def test_the_second_core_hits_and_compiles_nothing(path: Path, core: Core, tmp_path: Path) -> None:
    first = core.compile_model(path, PARTS)
    delegate = ExportingDelegate()
    second = core_with(delegate, tmp_path).compile_model(path, PARTS)
    assert (status(first), status(second)) == (CacheStatus.MISS, CacheStatus.HIT)
    assert [each.get_property("LOADED_FROM_CACHE") for each in (first, second)] == [False, True]
    assert (delegate.asked, delegate.compiled) == (0, 0)
    np.testing.assert_allclose(run(second), EXPECTED, rtol=1e-6)
    np.testing.assert_array_equal(run(first), run(second))


@pytest.mark.parametrize("device", ["CPU", PARTS, "NPU", "AUTO:CPU"])
def test_of_core_device_and_call_the_nearest_counts(device: str, path: Path, tmp_path: Path) -> None:
    core = core_with(ExportingDelegate(), None)
    core.compile_model(path, device if device != "NPU" else "HETERO:NPU,CPU", {"cache_dir": str(tmp_path / "call")})
    assert len(list((tmp_path / "call").glob("*.ldc"))) == 1
    assert status(core.compile_model(path, PARTS)) is CacheStatus.DISABLED


def test_a_device_may_have_a_cache_of_its_own(path: Path, tmp_path: Path) -> None:
    core = Core()
    core.set_property({"CACHE_DIR": tmp_path / "core"})
    core.set_property("CPU", {"CACHE_DIR": tmp_path / "cpu"})
    assert core.get_property("CACHE_DIR") == os.fspath(tmp_path / "core")
    assert core.get_property("NPU", "CACHE_DIR") == os.fspath(tmp_path / "core")
    assert core.get_property("CPU", "CACHE_DIR") == os.fspath(tmp_path / "cpu")
    explained = core.explain_property("CPU", "CACHE_DIR")
    assert (explained.layer, [each.layer for each in explained.losers]) == (Layer.DEVICE, [Layer.CORE, Layer.DEFAULT])
    core.compile_model(path, "CPU")
    assert (list((tmp_path / "cpu").glob("*.ldc")) != [], (tmp_path / "core").exists()) == (True, False)
    assert status(core.compile_model(path, "CPU", {"CACHE_DIR": ""})) is CacheStatus.DISABLED
    nested = {"DEVICE_PROPERTIES": {"CPU": {"CACHE_DIR": ""}}, "CACHE_DIR": tmp_path / "call"}
    assert status(core.compile_model(path, "CPU", nested)) is CacheStatus.DISABLED


def test_a_strict_door_is_not_served_what_leaves_kernels_to_the_cpu(path: Path, core: Core) -> None:
    core.compile_model(path, PARTS)
    with pytest.raises(FallbackError, match="ACME"):
        core.compile_model(path, "ACME")


def test_the_strict_door_has_entries_of_its_own(core: Core) -> None:
    core.compile_model(model_path(), "HETERO:NPU,CPU")
    found = core.compile_model(model_path(), "NPU").cache_outcome
    assert [(each.field, each.old, each.new) for each in found.changes] == [("loading.strict", "false", "true")]


@pytest.mark.parametrize(
    ("other", "field"),
    [
        ({"shapes": {"x": (32, 32)}}, "loading"),
        ({"partition": PartitionOptions(min_kernels=2)}, "partition"),
        ({"device": "CPU"}, "device"),
    ],
)
def test_another_model_is_a_miss_that_names_the_difference(
    other: Mapping[str, Any], field: str, path: Path, core: Core
) -> None:
    core.compile_model(path, PARTS)
    found = core.compile_model(path, **{"device": PARTS, **other}).cache_outcome
    assert found.status is CacheStatus.MISS
    assert {change.field.split(".")[0] for change in found.changes} <= {field, "devices"}
    assert core.compile_model(path, **{"device": PARTS, **other}).cache_outcome.status is CacheStatus.HIT


def test_models_in_memory_and_in_bytes_hit(path: Path, core: Core) -> None:
    for model in (weighted(), path.read_bytes()):
        assert status(core.compile_model(model, PARTS)) is CacheStatus.MISS
        found = core.compile_model(model, PARTS)
        assert status(found) is CacheStatus.HIT
        np.testing.assert_allclose(run(found), EXPECTED, rtol=1e-6)
    assert status(core.compile_model(path, PARTS)) is CacheStatus.HIT


def test_auto_does_not_let_the_cpu_stand_in_where_the_device_hits(tmp_path: Path) -> None:
    core = Core()
    properties = {"CACHE_DIR": tmp_path / "cache"}
    core.compile_model(model_path(), "NPU", properties)
    found = core.compile_model(model_path(), "AUTO:NPU,CPU", properties)
    assert status(found) is CacheStatus.HIT
    assert found.get_property("EXECUTION_DEVICES") == ("NPU",)
    assert len(entries(tmp_path)) == 1


@pytest.mark.shows("runtime", "REQUIRE_CACHED")
def test_required_and_missing_is_an_error_and_nothing_is_compiled(path: Path, tmp_path: Path) -> None:
    delegate = ExportingDelegate()
    core = core_with(delegate, tmp_path)
    with pytest.raises(CacheMiss, match="no entry for this content"):
        core.compile_model(path, PARTS, {"REQUIRE_CACHED": "YES"})
    assert delegate.compiled == 0
    core.compile_model(path, PARTS)
    assert status(core.compile_model(path, PARTS, {"REQUIRE_CACHED": "YES"})) is CacheStatus.HIT
    with pytest.raises(PropertyError, match="REQUIRE_CACHED is YES, but there is no cache: set CACHE_DIR"):
        core.compile_model(path, PARTS, {"REQUIRE_CACHED": "YES", "CACHE_DIR": ""})


def xored(data: bytes) -> bytes:
    return bytes(np.frombuffer(data, np.uint8) ^ np.uint8(0x5A))


@pytest.mark.shows("runtime", "CACHE_MODE", "CACHE_BLOB_ID", "CACHE_ENCRYPTION_CALLBACKS")
def test_the_mode_the_name_and_the_secret_of_entries(core: Core, tmp_path: Path) -> None:
    model = weighted()
    fast = core.compile_model(model, PARTS, {"CACHE_BLOB_ID": "fast"})
    small = core.compile_model(model, PARTS, {"CACHE_BLOB_ID": "small", "CACHE_MODE": "optimize_size"})
    hidden = core.compile_model(model, PARTS, {"CACHE_BLOB_ID": "hidden", "CACHE_ENCRYPTION_CALLBACKS": (xored, xored)})
    assert entries(tmp_path) == ["fast.ldc", "hidden.ldc", "small.ldc"]
    sizes = [Path(each.cache_outcome.path).stat().st_size for each in (fast, small)]
    assert sizes[0] - sizes[1] == pytest.approx(WEIGHT.nbytes, rel=0.05)
    assert WEIGHT.tobytes()[:64] not in Path(hidden.cache_outcome.path).read_bytes()
    for extra in ({}, {"CACHE_ENCRYPTION_CALLBACKS": (xored, bytes)}):
        found = core.compile_model(model, PARTS, {"CACHE_BLOB_ID": "hidden", **extra})
        assert status(found) is CacheStatus.REFUSED


@pytest.mark.shows("runtime", "CACHE_SIZE", "CACHE_WAIT_MS")
def test_the_size_of_a_cache_and_the_wait_for_others(path: Path, core: Core, tmp_path: Path) -> None:
    core.set_property({"CACHE_SIZE": 1, "CACHE_WAIT_MS": "30"})
    core.compile_model(path, "CPU")
    made = Path(core.compile_model(path, PARTS).cache_outcome.path)
    assert entries(tmp_path) == [made.name]
    made.unlink()
    with (
        locked(made.with_suffix(".lock"), 0),
        pytest.warns(CacheWarning, match="has held the entry for 30 ms") as caught,
    ):
        assert status(core.compile_model(path, PARTS)) is CacheStatus.BYPASSED
    assert [each.filename for each in caught] == [__file__]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"CACHE_DIR": __file__}, "CACHE_DIR must be the path of a folder, or nothing; got .*it is a file"),
        ({"CACHE_DIR": 3}, "CACHE_DIR must be the path"),
        ({"CACHE_MODE": "FAST"}, "OPTIMIZE_SPEED or OPTIMIZE_SIZE"),
        ({"CACHE_SIZE": -1}, "CACHE_SIZE must be an integer, from 0"),
        ({"CACHE_WAIT_MS": "soon"}, "CACHE_WAIT_MS must be an integer"),
        ({"CACHE_BLOB_ID": "a/b"}, "name of a file without a folder"),
        ({"CACHE_ENCRYPTION_CALLBACKS": (xored,)}, r"functions \(encrypt, decrypt\)"),
        ({"REQUIRE_CACHED": "MAYBE"}, "YES or NO"),
        ({"CACHE_DIRS": "x"}, "Did you mean 'CACHE_DIR'"),
    ],
)
@pytest.mark.parametrize("level", ["core", "device", "call"])
def test_mistakes_are_named_and_set_nothing(wrong: Mapping[str, Any], message: str, level: str, path: Path) -> None:
    core = core_with(ExportingDelegate(), None)
    bad = {"CACHE_DIR": "somewhere", **wrong}
    doors: dict[str, Callable[[], object]] = {
        "core": partial(core.set_property, bad),
        "device": partial(core.set_property, "NPU", bad),
        "call": partial(core.compile_model, path, "NPU", bad),
    }
    with pytest.raises(InputError, match=message):
        doors[level]()
    assert core.get_property("NPU", "CACHE_DIR") == core.get_property("CACHE_DIR") == ""


def test_functions_can_be_set_and_not_be_read(path: Path) -> None:
    core = Core()
    core.set_property({"CACHE_ENCRYPTION_CALLBACKS": (xored, xored)})
    with pytest.raises(PropertyError, match="can only be set"):
        core.get_property("CACHE_ENCRYPTION_CALLBACKS")


def test_the_cache_is_of_the_whole_model(path: Path, core: Core) -> None:
    with pytest.raises(InputError, match="CACHE_DIR for 'ACME', but CACHE_DIR is of the whole model"):
        core.compile_model(path, PARTS, {"DEVICE_PROPERTIES": {"ACME": {"CACHE_DIR": ""}}})


def test_the_old_prefix_is_taken(path: Path, tmp_path: Path) -> None:
    with pytest.warns(PropertyWarning, match="is called CACHE_DIR"):
        found = Core().compile_model(path, "CPU", {"KEY_CACHE_DIR": tmp_path / "cache"})
    assert status(found) is CacheStatus.MISS


def test_a_property_under_two_names_is_one() -> None:
    core = Core()
    core.set_property("CPU", {"cache_dir": "one"})
    with pytest.warns(PropertyWarning, match="is called CACHE_DIR"):
        core.set_property("CPU", {"KEY_CACHE_DIR": "two"})
    assert core.get_property("CPU", "CACHE_DIR") == "two"


@pytest.mark.parametrize("device", ["MULTI:NPU,CPU", "AUTO:NPU,CPU", "BATCH:NPU(2)"])
def test_devices_made_of_others_tell_of_the_one_that_runs_first(device: str, core: Core) -> None:
    first = core.compile_model(model_path(), device)
    assert status(first) is CacheStatus.MISS
    first.close()
    assert status(core.compile_model(model_path(), device)) is CacheStatus.HIT


@pytest.mark.parametrize("device", ["CPU", "HETERO:NPU,CPU", "MULTI:NPU,CPU", "AUTO:NPU,CPU"])
def test_a_folder_that_cannot_be_used_is_warned_of_once(device: str, path: Path) -> None:
    core = Core()
    core.set_property({"CACHE_DIR": path / "cache"})
    with catch_warnings(record=True) as caught:
        simplefilter("always")
        core.compile_model(path, device)
    told = [each for each in caught if each.category is CacheWarning]
    assert len(told) == 1
    assert "cannot be used: Not a directory" in str(told[0].message)

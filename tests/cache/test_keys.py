"""What the properties of the NPU do to the key of an entry: those that shape programs are told apart, one by one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from lite_delegate import CacheOptions, CacheOutcome, CacheStatus, Context, Core, DelegateBuildError, Model
from lite_delegate.formats.ms import write_ms
from lite_delegate.inference.model_file.compatibility import FileVerdict
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.ir import compiler_version
from lite_delegate.npu.options import registry_of
from lite_delegate.npu.profiles import load_profile
from tests.inference.model_file.models import weighted

SHAPES_PROGRAMS: Mapping[str, tuple[object, set[str]]] = {
    "PERFORMANCE_HINT": ("THROUGHPUT", {"tiles"}),
    "EXECUTION_MODE_HINT": ("ACCURACY", set()),
    "NPU_COMPILATION_MODE_PARAMS": ("optimization-level=0", set()),
    "NPU_TURBO": ("YES", set()),
    "NPU_TILES": (2, {"tiles"}),
    "NPU_MAX_TILES": (2, {"tiles"}),
    "INFERENCE_PRECISION_HINT": ("f32", set()),
    "FREQUENCY": (1, set()),
    "VPU_HW_STAGES_OPTIMIZATION": ("NO", set()),
    "VPU_COMPUTE_LAYOUT": ("VPU_NHWC", set()),
    "VPU_IGNORE_IR_STATISTIC": ("YES", set()),
}
"""Another value for each, and which values that are resolved from it change with it."""
OF_RUNNING: Mapping[str, object] = {
    "COMPILATION_NUM_THREADS": 7,
    "PERF_COUNT": "YES",
    "PERFORMANCE_HINT_NUM_REQUESTS": 3,
    "MODEL_PRIORITY": "HIGH",
    "ENABLE_CPU_PINNING": "YES",
    "LOG_LEVEL": "LOG_ERROR",
    "EXCLUSIVE_ASYNC_REQUESTS": "YES",
    "NPU_BYPASS_UMD_CACHING": "YES",
    "NPU_DEFER_WEIGHTS_LOAD": "YES",
    "VPU_PRINT_RECEIVE_TENSOR_TIME": "YES",
    "NUM_STREAMS": 2,
    "WORKLOAD_TYPE": "EFFICIENT",
    "TRANSFER_CHUNK": 1024,
    "NPU_RUN_INFERENCES_SEQUENTIALLY": "YES",
}


OF_NO_ENTRY = {"CACHING_PROPERTIES", "CACHE_DIR", "NPU_SIMULATE_ABSENT"}
"""It says what the key has; it is no folder of this cache; without a device nothing is kept."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the entry of a model that is compiled with no property set; the model is beside it."""
    folder = tmp_path_factory.mktemp("keys") / "cache"
    write_ms(weighted(), folder.with_name("m.ms"))
    assert outcome(folder, {}).status is CacheStatus.MISS
    return folder


def outcome(folder: Path, given: Mapping[str, object]) -> CacheOutcome:
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate("npu4000", options=given))
    context.cache = CacheOptions(folder)
    model.build_from_file(folder.with_name("m.ms"), context=context)
    return model.cache_outcome


def test_the_tables_have_each_property() -> None:
    specs = [spec for spec in registry_of(load_profile("npu4000")) if not spec.read_only]
    elsewhere = {"DEVICE_ID", "VPU_CUSTOM_LAYERS"}
    assert {spec.name for spec in specs if spec.compiled} - elsewhere == set(SHAPES_PROGRAMS)
    assert {spec.name for spec in specs if not spec.compiled} - OF_NO_ENTRY == set(OF_RUNNING)


@pytest.mark.parametrize("name", SHAPES_PROGRAMS)
def test_what_shapes_programs_is_a_miss_that_names_it(folder: Path, name: str) -> None:
    value, with_it = SHAPES_PROGRAMS[name]
    found = outcome(folder, {name: value})
    Path(found.path).unlink()
    assert found.status is CacheStatus.MISS
    assert {change.field for change in found.changes} == {f"device.npu.{each}" for each in {name} | with_it}


@pytest.mark.parametrize("name", OF_RUNNING)
def test_what_counts_when_a_model_runs_is_a_hit(folder: Path, name: str) -> None:
    assert outcome(folder, {name: OF_RUNNING[name]}).status is CacheStatus.HIT


@pytest.mark.parametrize("device", ["NPU", "HETERO:NPU,CPU", "AUTO:NPU,CPU"])
def test_what_is_said_of_devices_that_take_no_part_is_of_the_call_and_not_of_the_entry(
    tmp_path: Path, device: str
) -> None:
    write_ms(weighted(), tmp_path / "m.ms")
    core = Core()
    core.set_property({"CACHE_DIR": str(tmp_path / "cache"), "ENABLE_STARTUP_FALLBACK": "NO"})
    found = []
    calls: list[dict[str, object]] = [{"NPU.kirin": {}}, {}, {"NPU.kirin": {}, "NPU.generic": {"NPU_TURBO": "YES"}}]
    for unused in calls:
        compiled = core.compile_model(tmp_path / "m.ms", device, {"DEVICE_PROPERTIES": unused})
        notes = [each for each in compiled.partition.notes if "takes no part" in each or "is no part" in each]
        found.append((compiled.cache_outcome.status, len(notes)))
        compiled.close()
    assert found == [(CacheStatus.MISS, 1), (CacheStatus.HIT, 0), (CacheStatus.HIT, 2)]


@pytest.mark.shows("NPU", "NPU_COMPILER_VERSION")
def test_what_another_compiler_made_is_a_miss_that_names_it_and_is_not_imported(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = Core()
    core.compile_model(folder.with_name("m.ms"), "NPU.4000").export_model(tmp_path / "m.compiled")
    mine = core.get_property("NPU", "NPU_COMPILER_VERSION")
    assert mine == compiler_version.COMPILER_VERSION
    monkeypatch.setattr(compiler_version, "COMPILER_VERSION", "9.7")
    assert core.get_property("NPU", "NPU_COMPILER_VERSION") == "9.7"
    found = outcome(folder, {})
    assert found.status is CacheStatus.MISS
    assert [(each.field, each.old, each.new) for each in found.changes] == [
        ("device.npu.compiler_version", mine, "9.7")
    ]
    Path(found.path).unlink()
    with pytest.raises(DelegateBuildError, match=f"an NPU of compiler_version '{mine}', this device has '9.7'"):
        core.import_model(tmp_path / "m.compiled", "NPU.4000")
    assert core.check_compatibility(tmp_path / "m.compiled", "NPU.4000").verdict is FileVerdict.RECOMPILE

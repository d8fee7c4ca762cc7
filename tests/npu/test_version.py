"""NPUDelegate.version: another one for every choice that changes a plan, the same one for the same choices."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.options import registry_of
from lite_delegate.npu.options.specs import MAX_THREADS
from lite_delegate.npu.profiles import load_profile

REGISTRY = registry_of(load_profile("npu4000"))
COMPILED = [spec.name for spec in REGISTRY if spec.compiled and not spec.read_only]

CHANGES = {
    "CACHING_PROPERTIES": ",".join((*COMPILED, "PERF_COUNT")),
    "COMPILATION_NUM_THREADS": MAX_THREADS,
    "PERF_COUNT": "YES",
    "TRANSFER_CHUNK": 4096,
    "PERFORMANCE_HINT": "THROUGHPUT",
    "PERFORMANCE_HINT_NUM_REQUESTS": 3,
    "NUM_STREAMS": 2,
    "MODEL_PRIORITY": "HIGH",
    "WORKLOAD_TYPE": "EFFICIENT",
    "EXECUTION_MODE_HINT": "ACCURACY",
    "ENABLE_CPU_PINNING": "YES",
    "DEVICE_ID": "4000",
    "EXCLUSIVE_ASYNC_REQUESTS": "YES",
    "NPU_COMPILATION_MODE_PARAMS": "optimization-level=0",
    "NPU_TURBO": "YES",
    "NPU_TILES": 1,
    "NPU_MAX_TILES": 1,
    "NPU_BYPASS_UMD_CACHING": "YES",
    "NPU_RUN_INFERENCES_SEQUENTIALLY": "YES",
    "NPU_SIMULATE_ABSENT": "YES",
    "NPU_DEFER_WEIGHTS_LOAD": "YES",
    "INFERENCE_PRECISION_HINT": "f32",
    "FREQUENCY": 1,
    "VPU_HW_STAGES_OPTIMIZATION": "NO",
    "VPU_COMPUTE_LAYOUT": "VPU_NHWC",
    "VPU_PRINT_RECEIVE_TENSOR_TIME": "YES",
    "VPU_IGNORE_IR_STATISTIC": "YES",
}
"""A value of each option that is not its default; CACHE_DIR takes nothing else."""


def test_every_option_is_in_it() -> None:
    settable = {option.name for option in REGISTRY if not option.read_only}
    assert settable == {*CHANGES, "VPU_CUSTOM_LAYERS", "LOG_LEVEL", "CACHE_DIR"}
    delegate = NPUDelegate("npu4000")
    versions = {delegate.version()}
    for name, value in CHANGES.items():
        changed = NPUDelegate("npu4000", options={name: value}).version()
        assert changed not in versions, name
        versions.add(changed)
    delegate.set_property({"NPU_TURBO": "YES"})
    assert delegate.version() in versions


def test_defaults_and_the_log_are_not() -> None:
    usual = NPUDelegate("npu4000").version()
    for options in ({"LOG_LEVEL": "LOG_INFO"}, {"PERF_COUNT": "NO"}, {"NPU_TILES": -1}):
        assert NPUDelegate("npu4000", options=options).version() == usual


def test_order_does_not_matter() -> None:
    one = NPUDelegate(options={"PERF_COUNT": "YES", "MODEL_PRIORITY": "LOW"})
    other = NPUDelegate(options={"MODEL_PRIORITY": "LOW", "PERF_COUNT": "YES"})
    assert one.version() == other.version()


@pytest.mark.parametrize("types", [("Softmax",), ("Softmax", "ReLU")])
def test_custom_layers_count_as_what_the_file_holds(tmp_path: Path, types: tuple[str, ...]) -> None:
    path = tmp_path / "layers.xml"
    path.write_text('<CustomLayers><CustomLayer type="Abs"/></CustomLayers>')
    before = NPUDelegate(options={"VPU_CUSTOM_LAYERS": path})
    layers = "".join(f'<CustomLayer name="{each}"/>' for each in types)
    path.write_text(f"<CustomLayers>{layers}</CustomLayers>")
    after = NPUDelegate(options={"VPU_CUSTOM_LAYERS": path})
    assert before.version() != after.version()
    assert after.version() == NPUDelegate(options={"VPU_CUSTOM_LAYERS": path}).version()

"""Graph kernels that leave the process and come back: the same bits, on the same device only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import Context, Model, ModelType
from lite_delegate.demo import load_test_set, model_path
from lite_delegate.errors import (
    DelegateBuildError,
    DelegateExecuteError,
    DelegateUnavailable,
    InputError,
    ModelFormatError,
)
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.blob import blob_bytes, read_blob
from lite_delegate.npu.device import Device
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.npu.options import Options
from lite_delegate.npu.profiles import Presence, load_profile, profile_names
from lite_delegate.npu.profiles.digest import profile_hash

IMAGES = load_test_set()[0][:3]


def built(delegate: NPUDelegate) -> tuple[Model, tuple[NPUGraph, ...]]:
    """The demo model on a delegate, for three images."""
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_file(model_path(), ModelType.MINDIR_LITE, context)
    model.resize(model.get_inputs(), [list(IMAGES.shape)])
    kernels = model.get_graph_kernels()
    graphs = tuple(graph for graph in kernels if isinstance(graph, NPUGraph))
    assert len(graphs) == len(kernels)
    return model, graphs


@pytest.mark.parametrize("profile", profile_names())
def test_what_comes_back_gives_the_same_bits(profile: str) -> None:
    _, graphs = built(NPUDelegate(profile))
    other = NPUDelegate(profile)
    for graph in graphs:
        again = other.import_blob(graph.export_blob())
        assert [t.name for t in (*again.inputs, *again.outputs)] == [t.name for t in (*graph.inputs, *graph.outputs)]
        assert results(again) == results(graph)
        assert again.export_blob() == graph.export_blob()


def test_what_comes_back_gives_what_the_model_gave() -> None:
    model, (graph,) = built(NPUDelegate())
    (expected,) = model.predict({"image": IMAGES})
    again = NPUDelegate().import_blob(graph.export_blob())
    again.inputs[0].data = IMAGES
    again.execute()
    np.testing.assert_array_equal(again.outputs[0].data, expected.get_data_to_numpy(), strict=True)


def results(graph: NPUGraph) -> list[tuple[tuple[int, ...], bytes]]:
    """The bits that a graph kernel gives for seeded random inputs."""
    generator = np.random.default_rng(0)
    for tensor in graph.inputs:
        tensor.data = generator.standard_normal(tensor.shape).astype(np.float32)
    graph.execute()
    return [(t.data.shape, t.data.tobytes()) for t in graph.outputs]


def test_a_file_is_written_whole_and_read(tmp_path: Path) -> None:
    _, (graph,) = built(NPUDelegate())
    path = tmp_path / "digits.blob"
    assert graph.export_blob(path) == path.read_bytes()
    assert results(NPUDelegate().import_blob(path)) == results(graph)
    with pytest.raises(InputError, match="is not a directory"):
        graph.export_blob(tmp_path / "nowhere" / "digits.blob")
    assert [f.name for f in tmp_path.iterdir()] == ["digits.blob"]


def test_options_of_compiling_come_with_the_blob() -> None:
    options = {"NPU_TILES": 1, "NPU_COMPILATION_MODE_PARAMS": "optimization-level=2", "NPU_TURBO": "YES"}
    _, graphs = built(NPUDelegate("npu4000", options=options))
    again = NPUDelegate("npu4000", options={"PERF_COUNT": True}).import_blob(graphs[0].export_blob())
    assert again.models[0].target == replace(graphs[0].models[0].target, profiling=True)
    assert again.estimate() == graphs[0].estimate()
    assert again.performance_counters()


def test_another_device_is_rejected() -> None:
    _, graphs = built(NPUDelegate("npu3720"))
    data = graphs[0].export_blob()
    with pytest.raises(
        DelegateBuildError, match=r"compiled for profile 'npu3720', this device has 'kirin'\. Compile the"
    ):
        NPUDelegate("kirin").import_blob(data)
    changed = NPUDelegate("npu3720")
    changed.options = Options.of(replace(changed.profile, max_rank=3))
    with pytest.raises(DelegateBuildError, match="figures or limits of the profile have changed since"):
        changed.import_blob(data)
    changed.options = Options.of(replace(load_profile("npu3720"), driver_version="1.2"))
    with pytest.raises(DelegateBuildError, match=r"compiled for driver version '.*', this device has '1\.2'"):
        changed.import_blob(data)


def test_the_hash_of_a_profile_is_of_its_values() -> None:
    hashes = {profile_hash(load_profile(name)) for name in profile_names()}
    assert len(hashes) == len(profile_names())
    profile = load_profile("generic")
    assert profile_hash(replace(profile, description="other words")) == profile_hash(profile)
    assert profile_hash(profile.with_tiles(8)) == profile_hash(profile)
    assert profile_hash(replace(profile, presence=Presence(absent=True))) == profile_hash(profile)
    assert profile_hash(replace(profile, limits=replace(profile.limits, matmul_max_dim=3))) != profile_hash(profile)


def test_options_that_the_device_does_not_have_are_rejected() -> None:
    _, (graph,) = built(NPUDelegate())
    blob = read_blob(graph.export_blob())
    forged = replace(blob, origin=replace(blob.origin, options={"NPU_TILES": "many"}))
    with pytest.raises(ModelFormatError, match=r"NPU blob of 'NpuGraph0': .*NPU_TILES"):
        NPUDelegate().import_blob(blob_bytes(forged))


def test_what_is_no_blob_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match="no such file"):
        NPUDelegate().import_blob(tmp_path / "nothing.blob")
    (tmp_path / "text.blob").write_text("certainly not a blob")
    with pytest.raises(ModelFormatError, match=r"text\.blob: NPU blob: expected the identifier"):
        NPUDelegate().import_blob(tmp_path / "text.blob")


def test_a_device_that_is_not_there_takes_no_blob() -> None:
    _, (graph,) = built(NPUDelegate())
    with pytest.raises(DelegateUnavailable):
        NPUDelegate(device=Device(present=False)).import_blob(graph.export_blob())


def test_what_was_released_cannot_be_exported() -> None:
    _, (graph,) = built(NPUDelegate())
    graph.release()
    with pytest.raises(DelegateExecuteError, match="must be prepared before its constants can be read"):
        graph.export_blob()


def test_deferred_weights_are_exported_before_they_are_loaded() -> None:
    _, (graph,) = built(NPUDelegate(options={"NPU_DEFER_WEIGHTS_LOAD": True}))
    assert graph.models[0].loaded is None
    data = graph.export_blob()
    assert graph.models[0].loaded is None
    assert results(NPUDelegate().import_blob(data)) == results(graph)
    assert graph.export_blob() == data

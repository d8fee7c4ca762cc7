"""Models through the cache, as users of ``Context.cache`` see it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from lite_delegate import (
    CacheMiss,
    CacheOptions,
    CacheOutcome,
    CacheStatus,
    CacheWarning,
    Context,
    Delegate,
    DelegateModel,
    Encryption,
    InputError,
    Kernel,
    Model,
    ModelFormatError,
    PartitionOptions,
)
from lite_delegate import version as versions
from lite_delegate.cache.folder import CacheFolder
from lite_delegate.cache.lock import locked
from lite_delegate.formats.ms import write_ms
from lite_delegate.npu import NPUDelegate
from tests.inference.model_file.models import WEIGHT, ExportingDelegate, X, weighted

EXPECTED = np.maximum(X + WEIGHT, 0) + 101


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_ms(weighted(), tmp_path / "m.ms")
    return tmp_path / "m.ms"


@pytest.fixture
def options(tmp_path: Path) -> CacheOptions:
    return CacheOptions(tmp_path / "cache")


def built(path: Path, options: CacheOptions | None, delegate: Delegate | None = None, **settings: Any) -> Model:
    context, model = Context(), Model()
    context.set_delegate(ExportingDelegate() if delegate is None else delegate)
    context.cache = options
    for name, value in settings.items():
        setattr(context, name, value)
    model.build_from_file(path, context=context)
    return model


def outcome(path: Path, options: CacheOptions, delegate: Delegate | None = None, **settings: Any) -> CacheOutcome:
    model = built(path, options, delegate, **settings)
    if delegate is None:
        np.testing.assert_allclose(model.predict([X])[0].data, EXPECTED, rtol=1e-6)
    return model.cache_outcome


def entries(options: CacheOptions) -> list[str]:
    return sorted(each.name for each in Path(options.folder).iterdir() if each.suffix != ".lock")


def test_without_a_cache_it_is_disabled(path: Path) -> None:
    assert built(path, None).cache_outcome == CacheOutcome()


def test_the_second_time_is_a_hit_and_compiles_nothing(path: Path, options: CacheOptions) -> None:
    first, delegate = outcome(path, options), ExportingDelegate()
    model = built(path, options, delegate)
    assert (first.status, model.cache_outcome.status) == (CacheStatus.MISS, CacheStatus.HIT)
    assert (delegate.asked, delegate.compiled) == (0, 0)
    np.testing.assert_array_equal(model.predict([X])[0].data, built(path, None).predict([X])[0].data)
    assert entries(options) == [f"{first.key[:32]}.ldc"]
    assert first.reason == "no entry for this content"
    assert set(first.ns) == {"hash", "read", "wait", "compile", "write"}


def test_folder_and_entries_are_the_users_own(path: Path, options: CacheOptions) -> None:
    made = outcome(path, options)
    assert Path(options.folder).stat().st_mode & 0o777 == 0o700
    assert Path(made.path).stat().st_mode & 0o777 == 0o600


def test_a_new_process_hits(path: Path, options: CacheOptions) -> None:
    code = f"""
import numpy as np
from lite_delegate import *
from lite_delegate.npu import NPUDelegate
context, model = Context(), Model()
context.set_delegate(NPUDelegate())
context.cache = CacheOptions({os.fspath(options.folder)!r})
model.build_from_file({os.fspath(path)!r}, context=context)
print(model.cache_outcome.status)
"""
    said = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for _ in range(2)]
    assert said == ["miss\n", "hit\n"]


def test_where_the_file_is_and_what_it_is_called_does_not_matter(path: Path, options: CacheOptions) -> None:
    outcome(path, options)
    other = path.parent / "elsewhere" / "other.ms"
    other.parent.mkdir()
    shutil.move(path, other)
    os.utime(other, (1, 1))
    assert outcome(other, options).status is CacheStatus.HIT
    assert len(entries(options)) == 1


def test_other_content_of_the_same_size_and_time_is_a_miss(path: Path, options: CacheOptions) -> None:
    outcome(path, options)
    before, data = path.stat(), path.read_bytes()
    changed = (WEIGHT + 1).astype(np.float32)
    assert WEIGHT.tobytes() in data
    path.write_bytes(data.replace(WEIGHT.tobytes(), changed.tobytes()))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    model = built(path, options)
    assert model.cache_outcome.status is CacheStatus.MISS
    np.testing.assert_allclose(model.predict([X])[0].data, np.maximum(X + changed, 0) + 101, rtol=1e-6)


@pytest.mark.parametrize("mode", ["OPTIMIZE_SPEED", "OPTIMIZE_SIZE"])
def test_weights_in_a_file_beside_count(tmp_path: Path, options: CacheOptions, mode: str) -> None:
    path, options = tmp_path / "m.ms", replace(options, mode=mode)
    write_ms(weighted(), path, external_data_threshold=1000)
    outcome(path, options)
    assert outcome(path, options).status is CacheStatus.HIT
    side = path.with_suffix(".msw")
    side.write_bytes(side.read_bytes().replace(WEIGHT.tobytes(), (WEIGHT * 2).tobytes()))
    model = built(path, options)
    assert model.cache_outcome.status is CacheStatus.MISS
    assert [change.field for change in model.cache_outcome.changes] == ["weights"]
    np.testing.assert_allclose(model.predict([X])[0].data, np.maximum(X + 2 * WEIGHT, 0) + 101, rtol=1e-6)
    side.unlink()
    with pytest.raises(ModelFormatError, match=r"m\.msw': no such file"):
        built(path, options)


def test_graphs_in_memory_are_known_by_what_they_are(options: CacheOptions) -> None:
    found = []
    for _ in range(2):
        context, model = Context(), Model()
        context.cache = options
        model.build_from_graph(weighted(), context)
        found.append(model.cache_outcome.status)
    assert found == [CacheStatus.MISS, CacheStatus.HIT]


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"optimize": "none"}, "loading.optimize"),
        ({"rewrite": False}, "partition.rewrites"),
        ({"partition": PartitionOptions(min_kernels=1)}, "partition.min_kernels"),
        ({"partition": PartitionOptions(deny_names=["last"])}, "partition.deny_names"),
        ({"delegate": ExportingDelegate(architecture="b")}, "device.exporting.architecture"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_a_change_is_a_miss_that_names_it(
    path: Path, options: CacheOptions, settings: Mapping[str, Any], field: str
) -> None:
    first = outcome(path, options)
    changed = outcome(path, options, **settings)
    names = [change.field for change in changed.changes]
    assert changed.status is CacheStatus.MISS
    assert field in names
    assert set(names) - {field} <= {"partition.folds"}
    assert changed.nearest == first.path
    assert f"{changed.changes[0]}" in changed.reason


@pytest.mark.parametrize("name", ["NPU_TURBO", "VPU_COMPUTE_LAYOUT", "FREQUENCY"])
def test_options_that_shape_programs_are_named_with_both_values(path: Path, options: CacheOptions, name: str) -> None:
    value = {"NPU_TURBO": "YES", "VPU_COMPUTE_LAYOUT": "VPU_NHWC", "FREQUENCY": 1}[name]
    outcome(path, options, NPUDelegate())
    changed = outcome(path, options, NPUDelegate(options={name: value}))
    assert [change.field for change in changed.changes] == [f"device.npu.{name}"]
    assert changed.changes[0].new == str(value)


def test_options_at_their_defaults_and_those_of_running_are_hits(path: Path, options: CacheOptions) -> None:
    outcome(path, options, NPUDelegate())
    of_running = ({"LOG_LEVEL": "LOG_ERROR"}, {"MODEL_PRIORITY": "HIGH"}, {"WORKLOAD_TYPE": "EFFICIENT"})
    for given in ({"NPU_TURBO": "NO"}, {"PERF_COUNT": "YES"}, *of_running):
        assert outcome(path, options, NPUDelegate(options=given)).status is CacheStatus.HIT, given


def test_another_release_is_a_miss_that_names_both(
    path: Path, options: CacheOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lite_delegate.inference.compiling.model_cache.VERSION", "0.0.9")
    outcome(path, options)
    monkeypatch.undo()
    found = outcome(path, options)
    assert found.status is CacheStatus.MISS
    assert found.reason.startswith(f"software.package 0.0.9 -> {versions.VERSION} (entry ")


def in_memory(options: CacheOptions, delegate: Delegate | None = None) -> CacheOutcome:
    """As ``outcome``, of a model whose weights are in no file: an entry has them."""
    context, model = Context(), Model()
    context.set_delegate(ExportingDelegate() if delegate is None else delegate)
    context.cache = options
    model.build_from_graph(weighted(), context)
    if delegate is None:
        np.testing.assert_allclose(model.predict([X])[0].data, EXPECTED, rtol=1e-6)
    return model.cache_outcome


def test_a_damaged_entry_is_named_removed_and_made_again(options: CacheOptions) -> None:
    entry = Path(in_memory(options).path)
    data = bytearray(entry.read_bytes())
    data[-1000] ^= 1
    entry.write_bytes(data)
    found = in_memory(options)
    assert found.status is CacheStatus.REFUSED
    assert "section 'constants' is not what was written" in found.reason
    assert in_memory(options).status is CacheStatus.HIT


@pytest.mark.parametrize("is_in_memory", [False, True], ids=["file", "memory"])
def test_no_damage_gives_other_numbers(path: Path, options: CacheOptions, is_in_memory: bool) -> None:
    def found() -> CacheOutcome:
        return in_memory(options) if is_in_memory else outcome(path, options)

    entry = Path(found().path)
    good, rng = entry.read_bytes(), np.random.default_rng(5)
    for _ in range(60):
        data = bytearray(good)
        for position in rng.integers(len(data), size=int(rng.integers(1, 4))):
            data[position] ^= int(rng.integers(1, 256))
        if rng.random() < 0.2:
            data = data[: int(rng.integers(len(data)))]
        entry.write_bytes(data)
        assert found().status in (CacheStatus.REFUSED, CacheStatus.HIT)
    assert entry.read_bytes() == good


def test_required_and_missing_is_an_error_that_explains(path: Path, options: CacheOptions) -> None:
    required, delegate = replace(options, required=True), ExportingDelegate()
    with pytest.raises(CacheMiss, match="no entry for this content"):
        built(path, required, delegate)
    assert (delegate.asked, delegate.compiled) == (0, 0)
    outcome(path, options)
    assert outcome(path, required).status is CacheStatus.HIT


class Unkeyed(ExportingDelegate):
    cache_key = Delegate.cache_key


def test_a_delegate_that_cannot_be_cached_is_named(path: Path, options: CacheOptions) -> None:
    found = outcome(path, options, Unkeyed())
    assert found.status is CacheStatus.BYPASSED
    assert "Delegate 'exporting'" in found.reason
    assert not Path(options.folder).exists()


def test_a_device_that_is_not_there_makes_no_entry(path: Path, options: CacheOptions) -> None:
    with pytest.warns(UserWarning, match="not"):
        found = outcome(path, options, NPUDelegate(options={"NPU_SIMULATE_ABSENT": True}))
    assert found.status is CacheStatus.BYPASSED
    assert entries(options) == []


@pytest.mark.parametrize("make", [ExportingDelegate, NPUDelegate])
def test_the_mode_for_size_leaves_the_weights_in_the_model(options: CacheOptions, make: Callable[[], Delegate]) -> None:
    """What a delegate makes of them for its device is part of its graph kernels, and stays in both modes."""
    small = replace(options, mode="OPTIMIZE_SIZE")
    fast = in_memory(options, make())
    slim = in_memory(small, make())
    assert fast.key != slim.key
    saved = Path(fast.path).stat().st_size - Path(slim.path).stat().st_size
    assert saved == pytest.approx(WEIGHT.nbytes, rel=0.05)
    assert in_memory(small, make()).status is CacheStatus.HIT


def xored(data: bytes) -> bytes:
    return bytes(np.frombuffer(data, np.uint8) ^ np.uint8(0x5A))


SECRET = Encryption(xored, xored)


def test_encrypted_entries_show_nothing(path: Path, options: CacheOptions) -> None:
    hidden = replace(options, encryption=SECRET)
    entry = Path(outcome(path, hidden).path)
    for clear in (WEIGHT.tobytes()[:64], b"first", b"weight"):
        assert clear not in entry.read_bytes()
    assert outcome(path, hidden).status is CacheStatus.HIT


def _failing(data: bytes) -> bytes:
    raise OSError("no such secret")


@pytest.mark.parametrize("decrypt", [lambda data: data, lambda data: data[::-1], lambda data: b"", _failing])
def test_an_entry_of_another_secret_is_refused_and_kept(
    path: Path, options: CacheOptions, decrypt: Callable[[bytes], bytes]
) -> None:
    entry = Path(outcome(path, replace(options, encryption=SECRET)).path)
    data = entry.read_bytes()
    found = outcome(path, replace(options, encryption=Encryption(xored, decrypt)))
    assert found.status is CacheStatus.REFUSED
    assert entry.read_bytes() == data


def test_an_encrypted_entry_is_not_replaced_by_a_clear_one(path: Path, options: CacheOptions) -> None:
    named = replace(options, blob_id="mine")
    entry = Path(outcome(path, replace(named, encryption=SECRET)).path)
    data = entry.read_bytes()
    assert outcome(path, named).status is CacheStatus.REFUSED
    assert entry.read_bytes() == data


def test_an_encryption_that_raises_is_reported(path: Path, options: CacheOptions) -> None:
    with pytest.warns(CacheWarning, match="no such secret"):
        found = outcome(path, replace(options, encryption=Encryption(_failing, xored)))
    assert found.status is CacheStatus.BYPASSED
    assert entries(options) == []


def test_a_name_of_the_users_own(path: Path, options: CacheOptions) -> None:
    named = replace(options, blob_id="mine")
    outcome(path, named)
    assert entries(options) == ["mine.ldc"]
    changed = outcome(path, named, optimize="none")
    assert changed.status is CacheStatus.REFUSED
    assert "the entry of another key" in changed.reason


def test_a_folder_that_is_a_file(path: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a file"):
        CacheOptions(path)


@pytest.mark.parametrize(
    "wrong", [{"size": -1}, {"wait_ms": "1"}, {"mode": "FAST"}, {"blob_id": "a/b"}, {"folder": ""}]
)
def test_wrong_values(tmp_path: Path, wrong: Mapping[str, Any]) -> None:
    with pytest.raises(InputError, match="CACHE_"):
        CacheOptions(**{"folder": tmp_path, **wrong})


def test_a_folder_that_cannot_be_used_is_warned_of(
    path: Path, options: CacheOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(CacheWarning, match="No space left on device"):
        found = outcome(path, options)
    assert found.status is CacheStatus.BYPASSED
    assert entries(options) == []


def test_the_size_is_kept_by_what_was_used_least_recently(path: Path, options: CacheOptions) -> None:
    first = outcome(path, options)
    second = outcome(path, options, optimize="none")
    os.utime(first.path, (2, 2))
    os.utime(second.path, (1, 1))
    limit = int(Path(first.path).stat().st_size * 2.5)
    third = outcome(path, replace(options, size=limit), rewrite=False)
    assert entries(options) == sorted(Path(each.path).name for each in (first, third))
    outcome(path, replace(options, size=1), partition=PartitionOptions(min_kernels=1))
    assert len(entries(options)) == 1


def test_a_lock_that_is_held_for_ever_is_waited_for_and_then_left(path: Path, options: CacheOptions) -> None:
    made = outcome(path, options)
    Path(made.path).unlink()
    lock = Path(made.path).with_suffix(".lock")
    with locked(lock, 0), pytest.warns(CacheWarning, match="has held the entry for 30 ms"):
        found = outcome(path, replace(options, wait_ms=30))
    assert found.status is CacheStatus.BYPASSED
    assert entries(options) == []


def test_threads_compile_once(path: Path, options: CacheOptions) -> None:
    barrier, delegates, found = threading.Barrier(8), [ExportingDelegate() for _ in range(8)], []

    def build(delegate: ExportingDelegate) -> None:
        barrier.wait()
        found.append(built(path, options, delegate).cache_outcome.status)

    threads = [threading.Thread(target=build, args=(delegate,)) for delegate in delegates]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(delegate.compiled for delegate in delegates) == 1
    assert sorted(found) == ["hit"] * 7 + ["miss"]


def test_leftovers_of_writers_that_were_killed_are_removed(path: Path, options: CacheOptions) -> None:
    Path(options.folder).mkdir()
    left = Path(options.folder) / f".x.ldc.{'0' * 32}.tmp"
    left.write_bytes(b"half")
    outcome(path, options)
    assert not left.exists()


def test_clear_leaves_nothing(path: Path, options: CacheOptions) -> None:
    outcome(path, options)
    CacheFolder(options).clear()
    assert list(Path(options.folder).iterdir()) == []


def test_a_folder_that_goes_while_the_model_is_compiled_is_warned_of(path: Path, options: CacheOptions) -> None:
    class Removing(ExportingDelegate):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            shutil.rmtree(options.folder)
            return super().create_graph_kernel(run, model)

    model = built(path, options, None)
    shutil.rmtree(options.folder)
    with pytest.warns(CacheWarning, match="No such file or directory"):
        again = built(path, options, Removing())
    assert again.cache_outcome.status is CacheStatus.BYPASSED
    np.testing.assert_array_equal(again.predict([X])[0].data, model.predict([X])[0].data)
    assert outcome(path, options).status is CacheStatus.MISS


def test_a_folder_that_cannot_be_made_is_warned_of(path: Path, options: CacheOptions) -> None:
    with pytest.warns(CacheWarning, match="Not a directory"):
        found = outcome(path, replace(options, folder=path / "below a file"))
    assert found.status is CacheStatus.BYPASSED


def test_data_of_an_onnx_model_in_files_beside_it_count(tmp_path: Path, options: CacheOptions) -> None:
    given = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [32, 32])
    made = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [32, 32])
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])], "g", [given], [made], [numpy_helper.from_array(WEIGHT, "w")]
    )
    path = tmp_path / "m.onnx"
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9),
        path,
        save_as_external_data=True,
        location="m.data",
        size_threshold=0,
    )
    assert [built(path, options).cache_outcome.status for _ in range(2)] == [CacheStatus.MISS, CacheStatus.HIT]
    side = tmp_path / "m.data"
    before = side.stat()
    side.write_bytes((WEIGHT * 2).tobytes())
    os.utime(side, ns=(before.st_atime_ns, before.st_mtime_ns))
    changed = built(path, options)
    assert changed.cache_outcome.status is CacheStatus.MISS
    np.testing.assert_allclose(changed.predict([X])[0].data, X + 2 * WEIGHT, rtol=1e-6)

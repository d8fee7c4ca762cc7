"""Compiled models of a core in pickles: the call is repeated, here and in other processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import cloudpickle
import joblib
import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import CacheStatus, CompiledModel, Delegate, ModelClosed, PartitionOptions
from lite_delegate.demo import model_path
from lite_delegate.devices.core import Core
from lite_delegate.formats.ms import write_ms
from lite_delegate.inference.model_file.exported_sections import sections_of
from lite_delegate.inference.model_file.files import written
from lite_delegate.runtime.records import PartitionRecord
from tests.inference.model_file.models import WEIGHT, ExportingDelegate, X, weighted
from tests.runtime.graphs import chain

DIGITS = np.random.default_rng(0).random((1, 8, 8, 1)).astype(np.float32)
DEVICES = ("CPU", "NPU.4000", "HETERO:NPU,CPU", "AUTO:NPU,CPU", "MULTI:NPU,CPU", "BATCH:CPU(4)", "AUTO")
Seen = tuple[list[bytes], PartitionRecord, dict[str, object]]
PICKLERS: Mapping[str, Callable[[object], bytes]] = {
    **{f"protocol {n}": partial(pickle.dumps, protocol=n) for n in (2, 3, 4, 5)},
    "cloudpickle": cloudpickle.dumps,
}


def seen(model: CompiledModel) -> Seen:
    """What a process sees of a model: the partition and the properties before a run, and the bytes of the outputs."""
    if hasattr(model, "auto"):
        model.wait_ready()
    names = model.get_property("SUPPORTED_PROPERTIES")
    assert isinstance(names, tuple)
    values = {str(name): model.get_property(name) for name in names}
    partition = model.partition
    (port,) = model.inputs
    return [each.tobytes() for each in model(DIGITS if port.shape == list(DIGITS.shape) else X)], partition, values


def outputs(model: CompiledModel, x: Array) -> Array:
    return model(x)[0]


def weights_of(model: CompiledModel) -> Array:
    return next(value.data for value in model.graph.values() if value.name == "weight" and value.data is not None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_ms(weighted(), tmp_path / "m.ms")
    return tmp_path / "m.ms"


@pytest.mark.parametrize("dumps", PICKLERS.values(), ids=PICKLERS)
def test_a_pickled_model_is_compiled_once_more(dumps: Callable[[object], bytes]) -> None:
    core = Core()
    core.set_property("NPU", {"NPU_TURBO": True})
    model = core.compile_model(model_path(), "HETERO:NPU,CPU", {"PERFORMANCE_HINT": "THROUGHPUT"})
    found = pickle.loads(dumps(model))
    assert seen(found) == seen(model)
    assert found is not model
    assert found.get_property("NPU_TURBO") is True


@pytest.mark.parametrize("device", DEVICES)
def test_models_of_all_devices_pickle(device: str) -> None:
    model = Core().compile_model(model_path(), device)
    assert seen(pickle.loads(pickle.dumps(model))) == seen(model)


def test_another_process_gives_the_same() -> None:
    model = Core().compile_model(model_path(), "HETERO:NPU,CPU")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(seen, model).result() == seen(model)
        (results,) = pool.map(model, [DIGITS])  # the model itself is the function, and its results come back
    np.testing.assert_array_equal(results[model.outputs[0]], model(DIGITS)[0])
    with multiprocessing.get_context("spawn").Pool(1) as processes:
        assert processes.apply(seen, (model,)) == seen(model)


def test_joblib_takes_models() -> None:
    model = Core().compile_model(model_path(), "CPU")
    found = joblib.Parallel(2)(joblib.delayed(outputs)(model, DIGITS * n) for n in (1, 2))
    for n, each in enumerate(found, 1):
        np.testing.assert_array_equal(each, model(DIGITS * n)[0])


def test_bytes_and_graphs_and_imported_files_pickle(path: Path) -> None:
    core = Core()
    compiled = core.compile_model(path, "HETERO:NPU,CPU")
    data, file = compiled.export_model(), path.with_name("m.ldm")
    file.write_bytes(data)
    for model in (
        core.compile_model(path.read_bytes(), "NPU"),
        core.compile_model(bytearray(path.read_bytes()), "NPU"),
        core.compile_model(weighted(), "HETERO:NPU,CPU"),
        core.import_model(data),
        core.import_model(file),
        core.import_model(written(*sections_of(compiled.parts(), with_weights=False), None), weights=path),
    ):
        assert seen(pickle.loads(pickle.dumps(model))) == seen(model)


def test_the_options_of_the_call_count_again() -> None:
    plan = PartitionOptions(affinity={"n1": "CPU"})
    model = Core().compile_model(chain(3, (-1, 3)), "HETERO:NPU,CPU", shapes={"x": [(1, 4), 3]}, partition=plan)
    found = pickle.loads(pickle.dumps(model))
    assert found.inputs == model.inputs
    assert found.inputs[0].ranges == ((1, 4), (3, 3))
    assert [node.device for node in found.partition.nodes] == ["NPU", "CPU", "NPU"]


def test_constants_go_once_and_without_a_copy() -> None:
    model = Core().compile_model(weighted(), "CPU")
    buffers: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(model, 5, buffer_callback=buffers.append)
    assert [memoryview(each).nbytes for each in buffers] == [WEIGHT.nbytes]
    assert len(rest) < WEIGHT.nbytes
    assert np.shares_memory(np.frombuffer(memoryview(buffers[0]), np.uint8), weights_of(model))
    found = pickle.loads(rest, buffers=buffers)
    assert np.shares_memory(weights_of(found), weights_of(model))
    assert len(pickle.dumps(model)) < WEIGHT.nbytes + 4096


def test_bytes_go_without_a_copy(path: Path) -> None:
    data = path.read_bytes()
    buffers: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(Core().compile_model(data, "CPU"), 5, buffer_callback=buffers.append)
    assert np.shares_memory(np.frombuffer(memoryview(buffers[0]), np.uint8), np.frombuffer(data, np.uint8))
    assert seen(pickle.loads(rest, buffers=buffers)) == seen(Core().compile_model(data, "CPU"))


def test_a_pickle_of_a_file_has_its_place_alone(path: Path) -> None:
    assert len(pickle.dumps(Core().compile_model(path, "CPU"))) < 1024 < path.stat().st_size


def test_the_cache_is_found_again(path: Path) -> None:
    core = Core()
    core.set_property({"CACHE_DIR": str(path.parent / "cache")})
    model = core.compile_model(path, "CPU")
    assert model.cache_outcome.status is CacheStatus.MISS
    assert pickle.loads(pickle.dumps(model)).cache_outcome.status is CacheStatus.HIT


def test_the_core_counts_as_it_was_at_the_call(path: Path) -> None:
    core = Core()
    core.set_property("NPU", {"NPU_TURBO": True})
    model = core.compile_model(path, "HETERO:NPU,CPU")
    core.set_property("NPU", {"NPU_TURBO": False})
    assert pickle.loads(pickle.dumps(model)).get_property("NPU_TURBO") is True


def test_models_pickled_together_share_their_core(path: Path) -> None:
    core = Core()
    models = [core.compile_model(path, "NPU"), core.compile_model(path, "HETERO:NPU,CPU")]
    found, (first, second) = pickle.loads(pickle.dumps((core, models)))
    assert first.origin.call.devices is second.origin.call.devices
    assert first.delegates["NPU"].device is second.delegates["NPU"].device
    assert found._devices is first.origin.call.devices
    core.set_property("NPU", {"NPU_TURBO": True})
    first, second = pickle.loads(pickle.dumps([models[0], core.compile_model(path, "NPU")]))
    assert first.origin.call.devices is not second.origin.call.devices


def test_properties_set_at_run_time_are_set_again(path: Path) -> None:
    model = Core().compile_model(path, "HETERO:NPU,CPU")
    model.set_property({"log_level": "LOG_DEBUG"})
    assert pickle.loads(pickle.dumps(model)).get_property("LOG_LEVEL") == "LOG_DEBUG"


def test_a_reshaped_model_keeps_its_shapes() -> None:
    model = Core().compile_model(model_path(), "HETERO:NPU,CPU").reshaped([(3, 8, 8, 1)])
    found = pickle.loads(pickle.dumps(model))
    x = np.repeat(DIGITS, 3, 0)
    np.testing.assert_array_equal(found(x)[0], model(x)[0])
    assert found.inputs == model.inputs


def acme(options: Mapping[str, object]) -> ExportingDelegate:
    return ExportingDelegate(float(str(options.get("NUMBER", 100))))


def test_a_registered_device_pickles_as_its_factory(path: Path) -> None:
    core = Core()
    core.register_device("ACME", acme)
    model = core.compile_model(path, "HETERO:ACME,CPU", {"DEVICE_PROPERTIES": {"ACME": {"number": 7}}})
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model))(X)[0], np.maximum(X + WEIGHT, 0) + np.float32(7) + np.float32(1)
    )


def test_a_device_of_a_lambda_goes_by_value_or_names_itself(path: Path) -> None:
    core = Core()
    core.register_device("ACME", lambda options: ExportingDelegate())
    model = core.compile_model(path, "HETERO:ACME,CPU")
    assert seen(pickle.loads(cloudpickle.dumps(model))) == seen(model)


def locked(delegate: Delegate) -> Callable[[Mapping[str, object]], Delegate]:
    process = multiprocessing.current_process()  # which no pickler takes

    def made(_: Mapping[str, object]) -> Delegate:
        assert process is not None
        return delegate

    return made


def test_who_does_not_pickle_is_named(path: Path) -> None:
    core = Core()
    delegate: Any = ExportingDelegate()
    delegate.lock = multiprocessing.get_context("spawn").Lock()
    core.register_device("ACME", locked(delegate))
    model = core.compile_model(path, "HETERO:ACME,CPU")
    with pytest.raises(TypeError, match="The factory of device 'ACME' does not pickle"):
        pickle.dumps(model)


def test_copies_are_the_model_itself(path: Path) -> None:
    model = Core().compile_model(path, "CPU")
    assert copy.copy(model) is model
    assert copy.deepcopy({"model": model})["model"] is model


def test_a_closed_model_does_not_pickle(path: Path) -> None:
    model = Core().compile_model(path, "CPU")
    model.close()
    with pytest.raises(ModelClosed):
        pickle.dumps(model)

"""Entries of models in files refer to the weights there: nothing is kept twice, and nothing of it is trusted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from lite_delegate import CacheOptions, CacheStatus, Context, Model, ModelFormatError, ModelType
from lite_delegate.cache.folder import CacheFolder
from lite_delegate.cache.key import CacheKey
from lite_delegate.inference import CompiledModel
from lite_delegate.ir import file_place
from lite_delegate.sections.sections import SectionedFile, open_sections, sectioned_bytes
from lite_delegate.tensors.tensor import Array

RNG = np.random.default_rng(3)
KERNEL = RNG.standard_normal((32, 16, 3, 3), dtype=np.float32)
"""Lies in another order of axes than kernels here have."""
LAST = RNG.standard_normal((32, 512), dtype=np.float32)
X = RNG.standard_normal((1, 16, 6, 6), dtype=np.float32)


def written(path: Path, **how: Any) -> Path:
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", X.shape), ("y", [1, 512])))
    nodes = [
        helper.make_node("Conv", ["x", "kernel"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("GlobalAveragePool", ["c"], ["p"]),
        helper.make_node("Flatten", ["p"], ["f"]),
        helper.make_node("MatMul", ["f", "last"], ["y"]),
    ]
    weights = [numpy_helper.from_array(KERNEL, "kernel"), numpy_helper.from_array(LAST, "last")]
    graph = helper.make_graph(nodes, "g", [x], [y], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path, **how)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path / "m.onnx")


@pytest.fixture
def options(tmp_path: Path) -> CacheOptions:
    return CacheOptions(tmp_path / "cache")


def built(path: Path, options: CacheOptions) -> Model:
    context, model = Context(), Model()
    context.cache = options
    model.build_from_file(path, context=context)
    return model


def result(model: Model) -> Array:
    return np.asarray(model.predict([X])[0].data)


def expected(path: Path) -> Array:
    (y,) = ReferenceEvaluator(onnx.load(path)).run(None, {"x": X})
    return np.asarray(y)


def weights(compiled: CompiledModel) -> list[Array]:
    found = [v.data for v in compiled.graph.values() if v.data is not None and v.data.nbytes >= 1024]
    assert len(found) == 2
    return found


def files_of(model: Model) -> set[str]:
    """The names of the files that the model's weights lie in, in any order of their axes."""
    turned = [each.transpose(np.argsort(each.strides)[::-1]) for each in weights(model.compiled)]
    places = [file_place(each) for each in turned]
    return {"" if place is None else place.path.name for place in places}


@pytest.mark.parametrize("name", ["m.onnx", "m.data"])
def test_weights_stay_where_they_lie(tmp_path: Path, options: CacheOptions, name: str) -> None:
    beside = {"save_as_external_data": True, "location": "m.data", "size_threshold": 1024}
    path = written(tmp_path / "m.onnx", **(beside if name == "m.data" else {}))
    cold, warm = built(path, options), built(path, options)
    assert (cold.cache_outcome.status, warm.cache_outcome.status) == (CacheStatus.MISS, CacheStatus.HIT)
    assert Path(warm.cache_outcome.path).stat().st_size < LAST.nbytes
    assert files_of(warm) == {name}
    np.testing.assert_array_equal(result(warm), result(cold))
    np.testing.assert_allclose(result(warm), expected(path), rtol=1e-4, atol=1e-4)


def test_a_copy_of_the_model_has_the_weights_too(path: Path, options: CacheOptions, tmp_path: Path) -> None:
    wanted = result(built(path, options))
    other = path.rename(tmp_path / "other.onnx")
    found = built(other, options)
    assert found.cache_outcome.status is CacheStatus.HIT
    assert files_of(found) == {"other.onnx"}
    np.testing.assert_array_equal(result(found), wanted)


def test_what_is_exported_of_a_hit_has_its_weights(path: Path, options: CacheOptions) -> None:
    wanted = result(built(path, options))
    data = built(path, options).compiled.export_model()
    path.unlink()
    model = Model()
    model.build_from_buffer(data, ModelType.MINDIR)
    np.testing.assert_array_equal(result(model), wanted)


def test_an_entry_alone_says_where_its_weights_are(path: Path, options: CacheOptions) -> None:
    entry = built(path, options).cache_outcome.path
    with pytest.raises(ModelFormatError, match="weights lie in the model's own file: entries of a cache are read with"):
        Model().build_from_file(entry)


def change(path: Path) -> None:
    """Writes other weights into a model's file, at its place, once."""
    data = path.read_bytes()
    if LAST.tobytes() in data:
        with open(path, "r+b") as file:
            file.write(data.replace(LAST.tobytes(), (LAST * 2).tobytes()))
        os.utime(path, ns=(1, 1))


def test_a_file_that_changes_while_it_is_compiled_makes_no_entry(
    path: Path, options: CacheOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = CacheFolder.read

    def after(self: CacheFolder, key: CacheKey) -> SectionedFile | None:
        change(path)
        return read(self, key)

    monkeypatch.setattr(CacheFolder, "read", after)
    found = built(path, options)
    assert found.cache_outcome.status is CacheStatus.BYPASSED
    assert "file was changed while it was loaded" in found.cache_outcome.reason
    np.testing.assert_allclose(result(found), expected(path), rtol=1e-4, atol=1e-4)


def test_a_file_that_changes_while_its_entry_is_read_is_read_itself(
    path: Path, options: CacheOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(path, options)
    kept = path.read_bytes()
    read = CacheFolder.read

    def after(self: CacheFolder, key: CacheKey) -> SectionedFile | None:
        found = read(self, key)
        change(path)
        return found

    monkeypatch.setattr(CacheFolder, "read", after)
    found = built(path, options)
    assert found.cache_outcome.status is CacheStatus.REFUSED
    assert "file was changed while it was loaded" in found.cache_outcome.reason
    np.testing.assert_allclose(result(found), expected(path), rtol=1e-4, atol=1e-4)
    monkeypatch.undo()
    path.write_bytes(kept)
    assert built(path, options).cache_outcome.status is CacheStatus.HIT


@pytest.mark.parametrize("location", ["model:7:0,1", "model:x:0,1", "model:0:0,0", "model:0:1,2", "model:0::::"])
def test_places_that_are_not_there_are_rejected(path: Path, options: CacheOptions, location: str) -> None:
    """Also in an entry whose hashes were made to fit."""
    entry = Path(built(path, options).cache_outcome.path)
    file = open_sections(entry)
    sections = {name: bytes(file.section(name)) for name in file.sections}
    assert sections["graph"].count(b"model:0:0,1") == 1
    sections["graph"] = sections["graph"].replace(b"model:0:0,1", location.encode())
    entry.write_bytes(sectioned_bytes(file.fields, sections))
    found = built(path, options)
    assert found.cache_outcome.status is CacheStatus.REFUSED
    np.testing.assert_allclose(result(found), expected(path), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mode", ["OPTIMIZE_SPEED", "OPTIMIZE_SIZE"])
@pytest.mark.parametrize("first", ["path", "bytes"])
def test_a_file_and_its_bytes_have_one_entry(first: str, mode: str, path: Path, options: CacheOptions) -> None:
    expected = np.asarray(next(iter(ReferenceEvaluator(onnx.load(path)).run(None, {"x": X}))))
    found, context = [], Context()
    context.cache = CacheOptions(options.folder, mode=mode)
    for how in (first, "bytes" if first == "path" else "path"):
        model = Model()
        if how == "path":
            model.build_from_file(path, context=context)
        else:
            model.build_from_buffer(path.read_bytes(), ModelType.MINDIR, context)
        np.testing.assert_allclose(model.predict([X])[0].data, expected, rtol=1e-4, atol=1e-4)
        found.append(model.cache_outcome.status)
    assert found == [CacheStatus.MISS, CacheStatus.HIT]


def test_the_bytes_of_a_file_with_weights_beside_it_do_not_find_its_entry(
    tmp_path: Path, options: CacheOptions
) -> None:
    path = written(tmp_path / "m.onnx", save_as_external_data=True, location="m.bin", size_threshold=0)
    built(path, options)
    context = Context()
    context.cache = options
    with pytest.raises(ModelFormatError, match="side file"):
        Model().build_from_buffer(path.read_bytes(), ModelType.MINDIR, context)

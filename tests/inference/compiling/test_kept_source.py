"""The sources of models in pickles: files are found again, and a changed file is noticed."""

from __future__ import annotations

import os
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import ModelFormatError
from lite_delegate.formats.ms import write_ms
from lite_delegate.inference.compiling.kept_source import KeptGraph, kept_source
from lite_delegate.ir import Graph, constant
from tests.inference.model_file.models import WEIGHT, weighted
from tests.runtime.graphs import binary, chain, value


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_ms(weighted(), tmp_path / "m.ms", external_data_threshold=1024)
    return tmp_path / "m.ms"


def test_a_relative_path_is_found_from_another_folder(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    source = kept_source("m.ms")
    assert str(source.model) == "m.ms"  # messages have the path as the user wrote it
    data = pickle.dumps(source)
    monkeypatch.chdir("/")
    assert source.model == path
    assert pickle.loads(data).model == str(path)


@pytest.mark.parametrize("name", ["m.ms", "m.msw"])
def test_a_changed_file_is_refused(path: Path, name: str) -> None:
    data = pickle.dumps(kept_source(path))
    content = bytearray((path.parent / name).read_bytes())
    content[-1] ^= 1
    (path.parent / name).write_bytes(content)
    os.utime(path.parent / name, ns=(0, 1))
    with pytest.raises(ModelFormatError, match=rf"{name}' changed since .* expected the digest [0-9a-f]{{16}}\.\.\."):
        pickle.loads(data)
    (path.parent / name).write_bytes(content + b"\0")
    with pytest.raises(ModelFormatError, match=r"expected [\d,]+ bytes, found [\d,]+\. Put the same file there, or"):
        pickle.loads(data)


def test_a_missing_file_is_named(path: Path) -> None:
    data = pickle.dumps(kept_source(path))
    path.unlink()
    with pytest.raises(ModelFormatError, match=r"m\.ms', which the pickled model was made from, is not there\."):
        pickle.loads(data)


def test_the_same_contents_of_another_time_are_taken(path: Path) -> None:
    data = pickle.dumps(kept_source(path))
    shutil.copy(path, path.with_name("other"))
    os.replace(path.with_name("other"), path)
    os.utime(path, ns=(0, 1))
    assert pickle.loads(data).model == str(path)


def test_a_file_that_changed_since_the_call_is_not_pickled(path: Path) -> None:
    source = kept_source(path)
    os.utime(path, ns=(0, 1))
    with pytest.raises(ModelFormatError, match="changed since the model was made from it"):
        pickle.dumps(source)


def test_a_file_is_hashed_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = kept_source(path)
    data = pickle.dumps(source)
    monkeypatch.setattr("lite_delegate.sections.digest.digest_of_file", None)
    assert pickle.dumps(source) == data
    assert pickle.loads(data).model == str(path)  # nor is it read again where its time is the same


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_graph_keeps_names_and_constants(protocol: int) -> None:
    found = pickle.loads(pickle.dumps(kept_source(weighted()), protocol)).model
    assert isinstance(found, Graph)
    assert [node.name for node in found.nodes] == ["first", "second", "last"]
    (weight,) = (value.data for value in found.values() if value.name == "weight")
    np.testing.assert_array_equal(weight, WEIGHT)


def test_constants_that_share_memory_go_once() -> None:
    x = value("x", (32, 32))
    first = binary("first", x, constant("a", WEIGHT))
    last = binary("last", first.outputs[0], constant("b", WEIGHT))
    data = pickle.dumps(KeptGraph(Graph("main", [x], [last.outputs[0]], [first, last])))
    assert WEIGHT.nbytes < len(data) < 2 * WEIGHT.nbytes
    a, b = (node.inputs[1].data for node in pickle.loads(data).model.nodes)
    np.testing.assert_array_equal(a, WEIGHT)
    assert np.shares_memory(a, b)


def test_a_damaged_list_of_constants_is_refused() -> None:
    again, (written, arrays, sources) = KeptGraph(weighted()).__reduce__()
    with pytest.raises(ModelFormatError, match="expected a constant of 4,096 bytes at 0"):
        again(written, {offset + 1: data for offset, data in arrays.items()}, sources)


def test_a_long_graph_pickles() -> None:
    found = pickle.loads(pickle.dumps(KeptGraph(chain(3000)))).model
    assert len(found.nodes) == 3000

"""Writing ``.ms`` files: everything comes back, flatc's readers agree, and no half-written file is left."""

from __future__ import annotations

import math
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lite_delegate_kernels import STRING_DTYPE

from lite_delegate import GraphError, ModelFormatError
from lite_delegate.flatbuffer import encoder
from lite_delegate.formats.ms import ms_bytes, read_ms, read_ms_buffer, write_ms
from lite_delegate.ir import (
    DataType,
    Format,
    Graph,
    ModelInfo,
    Node,
    Primitive,
    QuantParam,
    Value,
    constant,
    difference,
    make_primitive,
)
from lite_delegate.ir.primitives import PRIMITIVE_CLASSES
from tests.formats.handmade import generated
from tests.formats.strategies import graphs, primitives


def chain(*nodes: Primitive, constants: list[Value] | None = None) -> Graph:
    """A graph that applies primitives one after the other; the first one reads the constants too."""
    values = [Value(f"v{i}", DataType.FLOAT32, (2, 3)) for i in range(len(nodes) + 1)]
    steps = [Node(f"n{i}", p, [values[i]], [values[i + 1]]) for i, p in enumerate(nodes)]
    steps[0].inputs.extend(constants or [])
    return Graph("main", [values[0]], [values[-1]], steps, info=ModelInfo())


def first_constant(graph: Graph) -> Value:
    value = graph.nodes[0].inputs[1]
    assert value is not None
    return value


@given(graphs())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_graph_comes_back_as_it_was(graph: Graph) -> None:
    assert difference(graph, read_ms_buffer(ms_bytes(graph))) is None


@pytest.mark.parametrize("op_type", PRIMITIVE_CLASSES)
@given(data=st.data())
@settings(max_examples=4, deadline=None)
def test_every_primitive_comes_back_and_flatc_reads_the_same(op_type: str, data: st.DataObject) -> None:
    primitive = data.draw(primitives(op_type))
    index = {"PartialFusion": {"sub_graph_index": 1}}.get(op_type, {})
    graph = chain(primitive.replace(**index))
    graph.subgraphs = [chain(make_primitive("Abs"))]
    graph.subgraphs[0].info = None
    content = ms_bytes(graph)
    assert difference(graph, read_ms_buffer(content)) is None
    table = generated("MetaGraph").MetaGraph.GetRootAs(content).Nodes(0).Primitive()
    assert table.ValueType() == primitive.tag
    reader = getattr(generated(op_type), op_type)()
    reader.Init(table.Value().Bytes, table.Value().Pos)
    for f in fields(graph.nodes[0].primitive):
        expected = getattr(graph.nodes[0].primitive, f.name)
        assert _same(_flatc_value(reader, f.name), expected), f.name


def _flatc_value(reader: Any, name: str) -> Any:
    """An attribute as flatc's reader gives it, in the types of our primitives."""
    camel = "".join(part[:1].upper() + part[1:] or "_" for part in name.split("_"))
    if not hasattr(reader, f"{camel}Length"):
        found = getattr(reader, camel)()
        if hasattr(found, "DataIsNone"):
            return None if found.DataIsNone() else tuple(_row(found.Data(i)) for i in range(found.DataLength()))
        return found.decode() if isinstance(found, bytes) else found
    if getattr(reader, f"{camel}IsNone")():
        return None
    items = [getattr(reader, camel)(i) for i in range(getattr(reader, f"{camel}Length")())]
    return tuple(_blob(i) if hasattr(i, "NameIsNone") or hasattr(i, "Name") else i for i in items)


def _row(vec: Any) -> tuple[int, ...]:
    return tuple(vec.Data(i) for i in range(vec.DataLength()))


def _blob(attribute: Any) -> tuple[str | None, bytes | None]:
    name = attribute.Name()
    data = None if attribute.DataIsNone() else bytes(attribute.Data(i) for i in range(attribute.DataLength()))
    return (None if name is None else name.decode(), data)


def _same(found: Any, expected: Any) -> bool:
    if isinstance(expected, tuple) and isinstance(found, tuple):
        return len(found) == len(expected) and all(map(_same, found, expected))
    if isinstance(expected, Format):
        return bool(found == (18 if expected == Format.NC8HW8 else expected))
    if isinstance(expected, float):
        return (
            math.isclose(found, expected, rel_tol=1e-7)
            or found == expected
            or (found != found and expected != expected)
        )
    if hasattr(expected, "data"):
        return bool(found == (expected.name, expected.data))
    return bool(found == expected)


@pytest.mark.parametrize(
    "data",
    [
        np.array(7, np.int64),
        np.arange(6, dtype=np.int64).reshape(2, 3),
        np.array([np.nan, -0.0, np.inf], np.float64),
        np.array([[True], [False]]),
        np.zeros((0, 3), np.int32),
        np.arange(6, dtype=np.float32).reshape(2, 3).T,
    ],
    ids=lambda d: f"{d.dtype}-{d.shape}",
)
def test_constants_come_back_bit_for_bit(data: np.ndarray[Any, Any]) -> None:
    graph = chain(make_primitive("AddFusion"), constants=[constant("c", data)])
    found = first_constant(read_ms_buffer(ms_bytes(graph)))
    assert found.data is not None
    assert found.data.shape == data.shape
    assert found.data.tobytes() == data.tobytes()


def test_negative_zero_is_not_taken_for_a_default() -> None:
    graph = chain(make_primitive("Elu", alpha=-0.0))
    assert math.copysign(1, read_ms_buffer(ms_bytes(graph)).nodes[0].primitive.attributes()["alpha"]) == -1


def test_weights_start_at_multiples_of_16() -> None:
    tensors = [constant("c" * i, np.arange(i, i + 3, dtype=np.float64)) for i in range(1, 9)]
    content = ms_bytes(chain(make_primitive("AddN"), constants=tensors))
    assert {content.index(t.data.tobytes()) % 16 for t in tensors if t.data is not None} == {0}


def test_strings_bfloat16_and_lists_come_back() -> None:
    text = Value("text", DataType.STRING, (5,), data=np.frombuffer(b"hello", STRING_DTYPE))
    nothing = Value("nothing", DataType.STRING, (0,), data=np.empty(0, STRING_DTYPE))
    brain = Value("brain", DataType.BFLOAT16, (2,), data=np.array([0x3F80, 0x4000], np.uint16))
    graph = chain(make_primitive("AddN"), constants=[text, nothing, brain])
    assert difference(graph, read_ms_buffer(ms_bytes(graph))) is None
    lists = chain(make_primitive("TensorListFromTensor"), make_primitive("TensorListStack"))
    lists.nodes[0].outputs[0].dtype = DataType.TENSOR_LIST
    assert difference(lists, read_ms_buffer(ms_bytes(lists))) is None


def test_values_that_graphs_share_are_stored_once() -> None:
    weight = constant("w", np.ones(3, np.float32))
    graph = chain(make_primitive("PartialFusion", sub_graph_index=1))
    body = chain(make_primitive("AddFusion"), constants=[weight])
    body.info = None
    graph.subgraphs = [body]
    graph.nodes[0].inputs.append(weight)
    found = read_ms_buffer(ms_bytes(graph))
    assert first_constant(found) is first_constant(found.subgraphs[0])


def test_absent_inputs_at_the_end_are_left_out() -> None:
    graph = chain(make_primitive("Clip"))
    graph.nodes[0].inputs.extend([None, None])
    assert len(read_ms_buffer(ms_bytes(graph)).nodes[0].inputs) == 1


def test_the_sample_model_comes_back(shared_models: Path, tmp_path: Path) -> None:
    graph = read_ms(shared_models / "lenet_tod_infer.ms")
    write_ms(graph, tmp_path / "again.ms")
    assert difference(graph, read_ms(tmp_path / "again.ms")) is None


def _rejected() -> dict[str, tuple[Graph, str]]:
    abs_ = make_primitive("Abs")
    cases: dict[str, tuple[Graph, str]] = {}
    graph = chain(make_primitive("Clip"))
    graph.nodes[0].inputs.extend([None, constant("max", np.array(6, np.float32))])
    cases["absent input"] = (graph, r"nodes\[0\] 'n0'.inputIndex: input 1 is absent while later ones are there")
    graph = chain(abs_)
    graph.nodes[0].outputs[0].format = Format.NDHWC
    cases["format"] = (graph, r"allTensors\[1\] 'v1': a file has no number for the format NDHWC")
    graph = chain(abs_)
    graph.nodes[0].outputs[0].dtype = DataType.UNKNOWN
    cases["data type"] = (graph, r"allTensors\[1\] 'v1'.dataType: a file has no number for the data type UNKNOWN")
    cases["64 bits"] = (
        chain(make_primitive("Softmax", axis=[2**63])),
        r"nodes\[0\] 'n0'.axis: expected .* found 92233",
    )
    cases["64 bit scalar"] = (chain(make_primitive("Concat", axis=2**63)), r"primitive.value.axis: 92233.* cannot be")
    cases["32 bits"] = (
        chain(make_primitive("TensorArray", element_shape=[2**31])),
        r"element_shape: expected -2147483648 to 2147483647, found 2147483648",
    )
    graph = chain(abs_)
    graph.inputs[0].shape = None
    cases["unknown input rank"] = (graph, "'v0': an input must have a known rank")
    graph = chain(abs_)
    graph.outputs[0].shape = (2**31,)
    cases["dimension"] = (graph, r"allTensors\[1\] 'v1'.dims: expected .* found 2147483648")
    value = Value("x", DataType.FLOAT32, (1,))
    cases["no node"] = (Graph("g", [value], [value], []), "outputs must not be its inputs")
    cases["no input"] = (Graph("g", [], [constant("c", np.ones(1))], []), "inputIndex: expected at least one")
    graph = chain(abs_)
    graph.inputs[0].data = np.ones((2, 3), np.float32)
    cases["constant input"] = (graph, "input 'v0' must not have data")
    graph = chain(abs_)
    graph.nodes[0].name = "\ud800"
    cases["name"] = (graph, r"nodes\[0\].name: '\\ud800' cannot be stored")
    graph = chain(abs_)
    graph.outputs[0].quant_params = (QuantParam(var_corr=1e300),)
    cases["single precision"] = (graph, r"quantParams\[0\].varCorr: 1e\+300 cannot be stored")
    graph = chain(abs_, abs_)
    graph.nodes[0].outputs[0].dtype = DataType.TENSOR_LIST
    cases["tensor list"] = (graph, "'v1' is a tensor list, which Abs cannot have")
    graph = chain(abs_)
    graph.nodes[0].inputs[0] = graph.outputs[0]
    cases["cycle"] = (graph, "cycle")
    return cases


REJECTED = _rejected()


@pytest.mark.parametrize("name", REJECTED)
def test_what_the_format_cannot_say_is_rejected(name: str, tmp_path: Path) -> None:
    graph, message = REJECTED[name]
    with pytest.raises(GraphError, match=message):
        write_ms(graph, tmp_path / "model.ms")
    assert list(tmp_path.iterdir()) == []


def test_too_much_for_one_file_is_rejected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    graph = chain(make_primitive("AddFusion"), constants=[constant("big", np.zeros(40_000, np.uint8))])
    size = len(ms_bytes(graph))
    monkeypatch.setattr(encoder, "MAX_SIZE", size)
    write_ms(graph, tmp_path / "model.ms")
    monkeypatch.setattr(encoder, "MAX_SIZE", size - 1)
    with pytest.raises(GraphError, match=f"{size:,} bytes do not fit one file; set external_data_threshold"):
        write_ms(graph, tmp_path / "model.ms")
    write_ms(graph, tmp_path / "model.ms", external_data_threshold=1)
    assert difference(graph, read_ms(tmp_path / "model.ms")) is None


def _side_graph() -> Graph:
    big = constant("big", np.arange(100, dtype=np.int64))
    small = constant("small", np.arange(3, dtype=np.int32))
    odd = constant("odd", np.arange(101, dtype=np.uint8))
    other = constant("other", np.arange(60, dtype=np.float64))
    return chain(make_primitive("AddN"), constants=[big, small, odd, other])


def test_big_constants_go_beside_the_model(tmp_path: Path) -> None:
    graph = _side_graph()
    write_ms(graph, tmp_path / "model.ms", external_data_threshold=100)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.ms", "model.msw"]
    found = read_ms(tmp_path / "model.ms")
    assert difference(graph, found) is None
    meta = generated("MetaGraph").MetaGraph.GetRootAs((tmp_path / "model.ms").read_bytes())
    external = [meta.AllTensors(i).ExternalDataLength() for i in range(meta.AllTensorsLength())]
    names = [meta.AllTensors(i).Name().decode() for i in range(meta.AllTensorsLength()) if external[i]]
    assert names == ["big", "odd", "other"]
    assert read_ms_buffer((tmp_path / "model.ms").read_bytes(), tmp_path).nodes[0].inputs[1] is not None


def test_a_file_that_exists_is_replaced_or_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.ms"
    write_ms(_side_graph(), path, external_data_threshold=100)
    before = path.read_bytes()

    def fail(source: object, target: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        for threshold in (None, 1):
            with pytest.raises(OSError, match="disk full"):
                write_ms(chain(make_primitive("Abs")), path, external_data_threshold=threshold)
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.ms", "model.msw"]
    write_ms(chain(make_primitive("Abs")), path)
    assert path.read_bytes() != before


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    for path in (tmp_path, Path()):
        with pytest.raises(IsADirectoryError):
            write_ms(chain(make_primitive("Abs")), path)
    assert list(tmp_path.parent.glob("*.tmp")) == []


def test_the_side_files_name_is_rejected_for_the_model(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="names the file beside a model"):
        write_ms(_side_graph(), tmp_path / "model.msw")


def test_a_side_file_that_is_cut_short_is_noticed(tmp_path: Path) -> None:
    write_ms(_side_graph(), tmp_path / "model.ms", external_data_threshold=100)
    (tmp_path / "model.msw").write_bytes(b"x" * 10)
    with pytest.raises(
        ModelFormatError, match=r"'big'.externalData: expected 800 bytes at 0 in 'model.msw', which has 10"
    ):
        read_ms(tmp_path / "model.ms")
    (tmp_path / "model.msw").unlink()
    with pytest.raises(ModelFormatError, match=r"weights file '.*model.msw': no such file"):
        read_ms(tmp_path / "model.ms")

"""Reading ONNX files: what is rejected and how, side files, shapes, functions, names."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import Converter, FmkType, Format, Model, ModelType
from lite_delegate.errors import InputError, LimitError, LiteDelegateError, ModelFormatError, UnsupportedOperatorError
from lite_delegate.formats import read_model, read_model_buffer
from lite_delegate.formats.onnx import read_onnx, read_onnx_buffer
from lite_delegate.report.info.model_info import model_info
from tests.formats.customs import assert_custom, reasons

onnx = pytest.importorskip("onnx")
comparing = importlib.import_module("tests.formats.onnx.comparing")
helper = onnx.helper
expansion = importlib.import_module("lite_delegate.formats.onnx.functions.expansion")
OnnxImporter = importlib.import_module("lite_delegate.formats.onnx.importer").OnnxImporter
FLOAT, BOOL = onnx.TensorProto.FLOAT, onnx.TensorProto.BOOL


def _model(nodes: Any, inputs: Any, outputs: Any, opset: int = 21, **more: Any) -> Any:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(n, t, s) for n, t, s in inputs],
        [helper.make_tensor_value_info(n, FLOAT, None) for n in outputs],
        more.get("initializers", ()),
    )
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in more.get("domains", ()))]
    return helper.make_model(graph, opset_imports=imports, functions=more.get("functions", ()))


def _read(model: Any, **shapes: Any) -> Any:
    return read_onnx_buffer(model.SerializeToString(), shapes)


def test_every_node_without_a_counterpart_becomes_custom() -> None:
    nodes = [
        helper.make_node("Acos", ["x"], ["a"], name="first"),
        helper.make_node("Acos", ["a"], ["b"], name="second"),
        helper.make_node("Strange", ["b"], ["c"], name="third", domain="com.example"),
    ]
    graph = _read(_model(nodes, [("x", FLOAT, [2])], ["c"], domains=["com.example"]))
    assert [node.name for node in graph.nodes] == ["first", "second", "third"]
    found = reasons(graph)
    assert found[0] == "ai.onnx.Acos (version 21): OPERATOR: there is no such operator in the .ms format"
    assert found[2].startswith("com.example.Strange (version 1): OPERATOR: there is no such operator")


def test_nodes_with_attributes_that_ours_lack_become_custom() -> None:
    nodes = [
        helper.make_node("LRN", ["x"], ["a"], name="even", size=4),
        helper.make_node("Relu", ["a"], ["b"], name="after"),
        helper.make_node("LRN", ["x"], ["c"], name="other", size=6),
    ]
    found = reasons(_read(_model(nodes, [("x", FLOAT, [1, 8, 2, 2])], ["b", "c"])))
    assert [line.rpartition(" ")[2] for line in found] == ["4", "6"]
    assert all("ai.onnx.LRN" in line and "size must be odd" in line for line in found)


@pytest.mark.parametrize(("rank", "layout"), [(4, Format.NCHW), (5, Format.NCDHW), (2, Format.NCHW)])
def test_tensors_have_the_layout_of_the_files_operators(tmp_path: Path, rank: int, layout: Format) -> None:
    """Also once the model is optimized, which puts the convolution between transposes, and in the .ms file."""
    operator = "Conv" if rank > 2 else "Gemm"
    weight = helper.make_tensor("w", FLOAT, (3, 3, 1, 1, 1)[:rank], [1.0] * 9)
    nodes = [helper.make_node(operator, ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["y"])]
    onnx.save(_model(nodes, [("x", FLOAT, (2, 3, 4, 5, 6)[:rank])], ["y"], initializers=[weight]), tmp_path / "m.onnx")
    converter = Converter()
    converter.save_type = ModelType.MINDIR_LITE
    converter.convert(FmkType.ONNX, tmp_path / "m.onnx", tmp_path / "m.ms")
    for file in ("m.onnx", "m.ms"):
        model = Model()
        model.build_from_file(tmp_path / file)
        assert [tensor.format for tensor in model.get_inputs()] == [layout]
        assert [tensor.format for tensor in model.get_outputs()] == [layout]


@pytest.mark.parametrize("opset", [7, onnx.defs.onnx_opset_version()])
def test_oldest_and_newest_opset_are_read(opset: int) -> None:
    model = _model([helper.make_node("Relu", ["x"], ["y"])], [("x", FLOAT, [2])], ["y"], opset)
    comparing.check(model, {"x": np.array([-1, 2], np.float32)}, [np.array([0, 2], np.float32)])


@pytest.mark.parametrize("opset", [6, onnx.defs.onnx_opset_version() + 1])
def test_other_opsets_are_rejected(opset: int) -> None:
    node = helper.make_node("Add" if opset == 6 else "Relu", ["x", "x"] if opset == 6 else ["x"], ["y"])
    assert_custom(_read(_model([node], [("x", FLOAT, [2])], ["y"], opset)), f"opset must be 7 to .*, found {opset}")


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([("Relu", ["nothing"], ["y"])], "reads 'nothing', which no input, initializer or earlier node gives"),
        ([("Relu", ["y"], ["y"])], "reads 'y'"),
        ([("Relu", ["b"], ["a"]), ("Relu", ["a"], ["b"]), ("Relu", ["a"], ["y"])], "reads 'b'"),
        ([("Relu", ["x"], ["y"]), ("Relu", ["x"], ["y"])], "gives 'y', which there is already"),
        ([("Relu", ["x"], ["x"])], "gives 'x', which there is already"),
        ([("Relu", ["x"], ["z"])], "output 'y': nothing gives it"),
        ([("Relu", [], ["y"])], "Relu"),
        ([("Conv", ["x"], ["y"])], "Conv"),
    ],
)
def test_broken_graphs_are_format_errors(nodes: Any, message: str) -> None:
    model = _model([helper.make_node(*n) for n in nodes], [("x", FLOAT, [1, 1, 2, 2])], ["y"])
    with pytest.raises(ModelFormatError, match=message):
        _read(model)


@pytest.mark.parametrize("data", [b"", b"\0", b"hello, world", b"\x08\x07", bytes(range(256)) * 8])
def test_what_is_no_model_is_a_format_error(data: bytes) -> None:
    with pytest.raises(ModelFormatError, match="not an ONNX model"):
        read_onnx_buffer(data)


def test_a_missing_file_is_a_format_error(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match="no such file"):
        read_onnx(tmp_path / "none.onnx")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(LiteDelegateError, match=r"pip install 'lite-delegate\[onnx\]'"):
        read_onnx_buffer(b"")


def _with_side_file(location: str, length: int = 8) -> Any:
    tensor = onnx.TensorProto(name="w", data_type=FLOAT, dims=[2], data_location=onnx.TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", "4"), ("length", str(length))):
        tensor.external_data.add(key=key, value=value)
    node = helper.make_node("Add", ["x", "w"], ["y"])
    return _model([node], [("x", FLOAT, [2])], ["y"], initializers=[tensor])


def test_weights_in_a_side_file_are_mapped(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "w.bin").write_bytes(np.array([9, 10, 20], np.float32).tobytes())
    (tmp_path / "m.onnx").write_bytes(_with_side_file("sub/w.bin").SerializeToString())
    graph = read_model(tmp_path / "m.onnx")
    (weight,) = [v for v in graph.values() if v.is_constant]
    assert weight.data is not None
    assert not weight.data.flags.owndata
    (y,) = comparing.run(graph, {"x": np.array([1, 2], np.float32)})
    np.testing.assert_array_equal(y, [11, 22])


@pytest.mark.parametrize(
    ("location", "length", "message"),
    [
        ("w.bin", 9, "must lie inside the file of 12 bytes"),
        ("w.bin", 4, "takes 8 bytes, found 4"),
        ("../w.bin", 8, "must be in the model's folder"),
        ("/etc/hosts", 8, "must be in the model's folder"),
        ("", 8, "must be in the model's folder"),
        ("link", 8, "must be in the model's folder"),
        ("gone.bin", 8, "no such file"),
    ],
)
def test_side_files_that_are_not_read(tmp_path: Path, location: str, length: int, message: str) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for path in (folder / "w.bin", tmp_path / "w.bin"):
        path.write_bytes(bytes(12))
    (folder / "link").symlink_to(tmp_path / "w.bin")
    (folder / "m.onnx").write_bytes(_with_side_file(location, length).SerializeToString())
    with pytest.raises(ModelFormatError, match=message):
        read_onnx(folder / "m.onnx")


def test_a_model_in_memory_has_no_side_files() -> None:
    with pytest.raises(ModelFormatError, match="a model in memory does not have"):
        _read(_with_side_file("w.bin"))


def test_the_graph_says_that_it_comes_from_onnx(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(_model([helper.make_node("Relu", ["x"], ["y"])], [("x", FLOAT, [3])], ["y"]).SerializeToString())
    assert model_info(path)["framework"] == "ONNX"


def test_input_shapes_fill_open_dimensions() -> None:
    node = helper.make_node("Relu", ["x"], ["y"])
    model = _model([node], [("x", FLOAT, ["n", 3])], ["y"])
    assert _read(model).inputs[0].shape == (-1, 3)
    assert _read(model, x=[5, 3]).outputs[0].shape == (5, 3)
    for name, shape, message in (
        ("z", [1], "the model's inputs are 'x'"),
        ("x", [1, 4], r"the model has \[-1, 3\], got \[1, 4\]"),
        ("x", [1], r"the model has \[-1, 3\], got \[1\]"),
        ("x", [-2, 3], "must be >= 0"),
    ):
        with pytest.raises(InputError, match=message):
            _read(model, **{name: shape})


def test_an_input_with_an_initializer_is_a_constant() -> None:
    weight = onnx.numpy_helper.from_array(np.array([1, 2], np.float32), "w")
    node = helper.make_node("Add", ["x", "w"], ["y"])
    model = _model([node], [("x", FLOAT, [2]), ("w", FLOAT, [2])], ["y"], initializers=[weight])
    assert [v.name for v in _read(model).inputs] == ["x"]


def test_names_and_order_of_outputs_are_kept() -> None:
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Identity", ["r"], ["copy"])]
    weight = onnx.numpy_helper.from_array(np.array([5], np.float32), "w")
    model = _model(nodes, [("x", FLOAT, [1])], ["copy", "x", "w", "r"], initializers=[weight])
    graph = _read(model)
    assert [v.name for v in graph.inputs] == ["x"]
    assert [v.name for v in graph.outputs] == ["copy", "x", "w", "r"]
    found = comparing.run(graph, {"x": np.array([-3], np.float32)})
    assert [float(y[0]) for y in found] == [0, -3, 5, 0]


def test_local_functions_are_inlined_with_their_attributes() -> None:
    scaled = onnx.parser.parse_function(
        """<domain: "local", opset_import: ["" : 21]>
        scaled <factor: float = 2.0> (a, b) => (c) {
            f = Constant <value_float: float = @factor> ()
            product = Mul (a, f)
            c = Add (product, b)
        }"""
    )
    twice = onnx.parser.parse_function(
        """<domain: "local", opset_import: ["" : 21, "local" : 1]>
        twice (a) => (c) { b = local.scaled <factor = 10.0> (a, a) c = local.scaled (b, a) }"""
    )
    node = helper.make_node("twice", ["x"], ["y"], domain="local")
    model = _model([node], [("x", FLOAT, [1])], ["y"], functions=[scaled, twice], domains=["local"])
    (y,) = comparing.run(_read(model), {"x": np.array([3], np.float32)})
    assert y.tolist() == [(3 * 10 + 3) * 2 + 3]


def test_a_function_that_calls_itself_is_a_format_error() -> None:
    endless = onnx.parser.parse_function(
        '<domain: "local", opset_import: ["local" : 1]> f (a) => (c) { c = local.f (a) }'
    )
    node = helper.make_node("f", ["x"], ["y"], domain="local")
    with pytest.raises(ModelFormatError, match="more than 32 deep"):
        _read(_model([node], [("x", FLOAT, [1])], ["y"], functions=[endless], domains=["local"]))


def _doubling(depth: int, leaf: str = "c = Neg (a)") -> Any:
    """A call of a function that calls the next one twice, and so on."""
    header = '<domain: "local", opset_import: ["" : 21, "local" : 1]>'
    functions = [onnx.parser.parse_function(f"{header} f0 (a) => (c) {{ {leaf} }}")]
    for i in range(1, depth):
        body = f"b = local.f{i - 1} (a) c = local.f{i - 1} (b)"
        functions.append(onnx.parser.parse_function(f"{header} f{i} (a) => (c) {{ {body} }}"))
    node = helper.make_node(f"f{depth - 1}", ["x"], ["y"], domain="local")
    return _model([node], [("x", FLOAT, [1])], ["y"], functions=functions, domains=["local"])


def test_functions_that_multiply_beyond_measure_are_beyond_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion, "MOST_MADE", 10)
    _read(_doubling(3))  # 4 nodes of the innermost function, 6 calls
    with pytest.raises(LimitError, match="make more than 10 nodes"):
        _read(_doubling(4))


@pytest.mark.parametrize("place", ["in a graph of a node", "in the model"])
def test_a_thousand_million_nodes_are_told_before_the_first_is_made(
    monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    model = _doubling(30)
    if place != "in the model":
        graph = helper.make_graph(model.graph.node, "then", [], [helper.make_tensor_value_info("y", FLOAT, [1])])
        (x, condition) = (helper.make_tensor_value_info(n, t, [1]) for n, t in (("x", FLOAT), ("c", BOOL)))
        branches = {"then_branch": graph, "else_branch": graph}
        chosen = helper.make_node("If", ["c"], ["z"], **branches)
        z = helper.make_tensor_value_info("z", FLOAT, [1])
        model.graph.CopyFrom(helper.make_graph([chosen], "main", [x, condition], [z]))
    converted: list[str] = []
    monkeypatch.setattr(OnnxImporter, "convert", lambda self, nodes, scope: converted.append("a node"))
    with pytest.raises(LimitError, match="make more than 100,000 nodes"):
        _read(model)
    assert converted == []


def test_bytes_of_what_functions_make_are_beyond_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A constant of 40 kB, sixteen times."""
    numbers = ", ".join(["1000"] * 10_000)
    model = _doubling(5, f"k = Constant <value_floats: floats = [{numbers}]> () c = ReduceSum <keepdims = 0> (k)")
    _read(model)
    monkeypatch.setattr(expansion, "MOST_BYTES", 400_000)
    with pytest.raises(LimitError, match="take more than 0 MiB"):
        _read(model)


def test_a_function_that_branches_into_itself_ends() -> None:
    endless = onnx.parser.parse_function(
        '<domain: "local", opset_import: ["local" : 1]> f (a) => (c) { b = local.f (a) c = local.f (b) }'
    )
    node = helper.make_node("f", ["x"], ["y"], domain="local")
    with pytest.raises(ModelFormatError, match="more than 32 deep"):
        _read(_model([node], [("x", FLOAT, [1])], ["y"], functions=[endless], domains=["local"]))


@pytest.mark.parametrize("kind", [onnx.TensorProto.COMPLEX64, onnx.TensorProto.STRING])
def test_element_types_without_kernels_are_rejected(kind: int) -> None:
    model = _model([helper.make_node("Identity", ["x"], ["y"])], [("x", kind, [1])], ["y"])
    with pytest.raises(UnsupportedOperatorError, match="no kernel computes with"):
        _read(model)


def test_a_tensor_that_does_not_fit_its_shape_is_a_format_error() -> None:
    weight = onnx.numpy_helper.from_array(np.zeros(4, np.float32), "w")
    weight.dims[0] = 2**60
    node = helper.make_node("Add", ["x", "w"], ["y"])
    with pytest.raises(ModelFormatError, match="takes 4,611,686,018,427,387,904 bytes, found 16"):
        _read(_model([node], [("x", FLOAT, [1])], ["y"], initializers=[weight]))


def test_damaged_files_raise_our_errors_only() -> None:
    """Bytes flipped, cut and doubled at seeded places; whatever comes of it, no other exception may."""
    rng = np.random.default_rng(0)
    weight = onnx.numpy_helper.from_array(rng.standard_normal((4, 3, 3, 3)).astype(np.float32), "w")
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("MaxPool", ["c"], ["p"], kernel_shape=[2, 2]),
        helper.make_node("Softmax", ["p"], ["y"], axis=1),
    ]
    model = _model(nodes, [("x", FLOAT, [1, 3, 8, 8])], ["y"], initializers=[weight]).SerializeToString()
    survived = 0
    for _ in range(400):
        data = bytearray(model)
        for place in rng.integers(0, len(data), rng.integers(1, 4)):
            data[place] = rng.integers(256)
        if rng.random() < 0.2:
            del data[rng.integers(len(data)) :]
        try:
            read_onnx_buffer(bytes(data))
            survived += 1
        except LiteDelegateError:
            continue
    assert 0 < survived < 400


def test_an_input_keeps_its_name_behind_an_identity_whose_name_begins_alike() -> None:
    graph = _read(_model([helper.make_node("Identity", ["x"], ["y"], name="x")], [("x", FLOAT, [2])], ["y"]))
    assert ([v.name for v in graph.inputs], [v.name for v in graph.outputs]) == (["x"], ["y"])


def test_a_model_is_built_from_bytes_too() -> None:
    content = _model([helper.make_node("Neg", ["x"], ["y"])], [("x", FLOAT, [2])], ["y"]).SerializeToString()
    model = Model()
    model.build_from_buffer(content, ModelType.MINDIR_LITE)
    np.testing.assert_array_equal(model.predict({"x": np.array([1, -2], np.float32)})[0].data, [-1, 2])
    with pytest.raises(ModelFormatError, match="model of 4 bytes"):
        read_model_buffer(content[:4])

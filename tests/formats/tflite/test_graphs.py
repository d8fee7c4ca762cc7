"""Subgraphs, signatures, unknown dimensions, variables, custom operators: imported and run, against LiteRT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter

from lite_delegate import Context, InputError, Model, ModelFormatError, ModelType
from lite_delegate.formats.tflite import read_tflite_buffer
from tests.formats.tflite.models import (
    G,
    Op,
    T,
    assert_same,
    check,
    const,
    fed,
    floats,
    litert,
    model_bytes,
    ours,
    out,
    single,
)

X = floats(1, 2, 3)


def function(op: str, number: float, name: str) -> G:
    """``op(x, number)`` over x."""
    tensors = [X, const(np.float32(number)), out(shape=(2, 3))]
    return G(tensors, [Op(op, [0, 1], [2], f"{op.capitalize()}Options")], [0], [2], name)


@pytest.mark.parametrize("condition", [True, False])
def test_if(condition: bool) -> None:
    tensors = [T(np.array([condition])), X, out(shape=(2, 3))]
    options = {"thenSubgraphIndex": 1, "elseSubgraphIndex": 2}
    main = G(tensors, [Op("IF", [0, 1], [2], "IfOptions", options)], [0, 1], [2])
    content = model_bytes([main, function("ADD", 3.0, "then"), function("MUL", -2.0, "else")])
    want = X.data + np.float32(3) if condition else X.data * np.float32(-2)
    assert_same(litert(content, fed(tensors[:2])), [want])
    assert_same(ours(content, fed(tensors[:2])), [want])


def loop(limit: int, *, grows: bool = False, starts_at: int | None = None) -> bytes:
    """while i < limit: i, x = i + 1, x * 2 (or x and itself one under another); i starts at an input, or a constant."""
    i, x = T(np.array(0, np.int32)) if starts_at is None else const(np.int32(starts_at)), X
    shape = [] if grows else [2, 3]
    tensors = [i, x, out("int32"), out(shape=shape)]
    options = {"condSubgraphIndex": 1, "bodySubgraphIndex": 2}
    main = G(tensors, [Op("WHILE", [0, 1], [2, 3], "WhileOptions", options)], [0, 1][starts_at is not None :], [2, 3])
    state = [out("int32"), out(shape=shape)]
    condition = G([*state, const(np.int32(limit)), out("bool")], [Op("LESS", [0, 2], [3])], [0, 1], [3], "condition")
    if grows:
        step = Op("CONCATENATION", [1, 1], [5], "ConcatenationOptions", {"axis": 0})
    else:
        step = Op("ADD", [1, 1], [5], "AddOptions")
    add = Op("ADD", [0, 2], [3], "AddOptions")
    tensors = [*state, const(np.int32(1)), out("int32"), out(), out(shape=shape)]
    return model_bytes([main, condition, G(tensors, [add, step], [0, 1], [3, 5], "body")])


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_while(limit: int) -> None:
    arrays = [np.array(0, np.int32), X.data]
    want = [np.array(limit, np.int32), X.data * np.float32(2**limit)]
    assert_same(litert(loop(limit), arrays), want)
    assert_same(ours(loop(limit), arrays), want)


def test_a_long_loop_needs_no_stack() -> None:
    got = ours(loop(3000), [np.array(0, np.int32), np.zeros((2, 3), np.float32)])
    assert got[0] == 3000


def test_a_loop_whose_state_grows() -> None:
    arrays = [np.array(0, np.int32), X.data]
    assert_same(ours(loop(3, grows=True), arrays), [np.array(3, np.int32), np.tile(X.data, (8, 1))])


def test_subgraphs_that_call_each_other_in_a_circle_are_rejected() -> None:
    options = {"thenSubgraphIndex": 0, "elseSubgraphIndex": 1}
    tensors = [T(np.array([True])), X, out(shape=(2, 3))]
    main = G(tensors, [Op("IF", [0, 1], [2], "IfOptions", options)], [0, 1], [2])
    with pytest.raises(ModelFormatError, match="subgraph 0 calls itself by way of subgraph 0"):
        read_tflite_buffer(model_bytes([main, function("ADD", 3.0, "else")]))


@pytest.mark.parametrize("index", [-1, 3])
def test_a_subgraph_that_is_not_there(index: int) -> None:
    options = {"thenSubgraphIndex": 1, "elseSubgraphIndex": index}
    tensors = [T(np.array([True])), X, out(shape=(2, 3))]
    main = G(tensors, [Op("IF", [0, 1], [2], "IfOptions", options)], [0, 1], [2])
    with pytest.raises(ModelFormatError, match=f"expected positions below 3, found {index}"):
        read_tflite_buffer(model_bytes([main, *[function("ADD", 3.0, "then")] * 2]))


def two_signatures() -> bytes:
    graphs = [function("ADD", 3.0, "first"), function("MUL", -2.0, "second")]
    return model_bytes(graphs, [("plus", 0, {"a": 0}, {"b": 2}), ("times", 1, {"a": 0}, {"b": 2})])


@pytest.mark.parametrize(("key", "position"), [(None, 0), ("plus", 0), ("times", 1)])
def test_signatures(key: str | None, position: int) -> None:
    graph = read_tflite_buffer(two_signatures(), key)
    model = Model()
    model.build_from_graph(graph)
    (got,) = model.predict({"t0": X.data})
    want = Interpreter(model_content=two_signatures()).get_signature_runner(("plus", "times")[position])(a=X.data)["b"]
    assert_same([got.get_data_to_numpy()], [want])


def test_a_signature_that_is_not_there() -> None:
    with pytest.raises(InputError, match="no signature 'minus'; it has 'plus', 'times'"):
        read_tflite_buffer(two_signatures(), "minus")
    with pytest.raises(InputError, match="no signature 'minus'; it has none"):
        read_tflite_buffer(model_bytes([function("ADD", 3.0, "first")]), "minus")


def test_a_signature_may_name_some_outputs() -> None:
    tensors = [X, out(shape=(2, 3)), out(shape=(2, 3))]
    graph = G(tensors, [Op("ABS", [0], [1]), Op("NEG", [0], [2])], [0], [1, 2])
    content = model_bytes([graph], [("neg", 0, {"x": 0}, {"y": 2})])
    assert [v.name for v in read_tflite_buffer(content).outputs] == ["t2"]


def test_unknown_dimensions_come_from_the_shape_signature() -> None:
    x = T(X.data, signature=(-1, 3))
    content = single("ABS", [x], [out(shape=(2, 3), signature=(-1, 3))])
    graph = read_tflite_buffer(content)
    assert [graph.inputs[0].shape, graph.outputs[0].shape] == [(-1, 3), (-1, 3)]
    wide = floats(2, 5, 3).data
    assert_same(ours(content, [wide]), litert(content, [wide]))


def test_the_caller_may_give_open_dimensions() -> None:
    content = single("ABS", [T(X.data, signature=(-1, 3))], [out(shape=(2, 3), signature=(-1, 3))])
    assert read_tflite_buffer(content, input_shapes={"t0": [5, 3]}).inputs[0].shape == (5, 3)
    for name, dims, message in (
        ("t0", [5, 4], r"must fit \[-1, 3\], got \[5, 4\]"),
        ("t0", [0, 3], r"must fit \[-1, 3\], got \[0, 3\]"),
        ("t0", [5], r"must fit \[-1, 3\], got \[5\]"),
        ("x", [5, 3], "names 'x', the model's inputs are 't0'"),
    ):
        with pytest.raises(InputError, match=message):
            read_tflite_buffer(content, input_shapes={name: dims})


def test_names_and_order_stay() -> None:
    tensors = [X, floats(2, 2, 3), out(shape=(2, 3)), out(shape=(2, 3))]
    graph = G(tensors, [Op("SUB", [0, 1], [2], "SubOptions"), Op("ABS", [2], [3])], [1, 0], [3, 2])
    imported = read_tflite_buffer(model_bytes([graph]))
    assert [v.name for v in imported.inputs] == ["t1", "t0"]
    assert [v.name for v in imported.outputs] == ["t3", "t2"]
    assert imported.info is not None
    assert imported.info.fmk_type == 4


def test_weights_are_views_of_the_file() -> None:
    weight = const(floats(1, 64, 64).data)
    content = single("FULLY_CONNECTED", [floats(2, 1, 64), weight, None], [out()], "FullyConnectedOptions", version=6)
    data = read_tflite_buffer(content).nodes[0].inputs[1]
    assert data is not None
    assert data.data is not None
    assert np.shares_memory(data.data, np.frombuffer(content, np.uint8))
    assert not data.data.flags.writeable


def test_a_custom_operator_that_the_caller_registers() -> None:
    content = single("Twice", [X], [out(shape=(2, 3))], custom=True, by=3)
    seen: dict[str, Any] = {}

    def run(arrays: Any, attributes: Any) -> Any:
        seen.update(attributes)
        return arrays[0] * np.float32(2)

    context, model = Context(), Model()
    context.register_custom("Twice", run)
    model.build_from_buffer(content, ModelType.MINDIR_LITE, context)
    assert_same([model.predict({"t0": X.data})[0].get_data_to_numpy()], [X.data * np.float32(2)])
    assert b"by" in seen["options"]


@pytest.mark.parametrize("regular", [False, True])
@pytest.mark.parametrize("per_box", [1, 2])
def test_detection_post_process(regular: bool, per_box: int) -> None:
    rng = np.random.default_rng(3)
    anchors = np.concatenate([rng.uniform(size=(40, 2)), rng.uniform(0.1, 0.4, size=(40, 2))], axis=1)
    boxes, scores = floats(1, 1, 40, 4, low=-1, high=1), floats(2, 1, 40, 6, low=0, high=1)
    options: dict[str, Any] = {
        "max_detections": 10,
        "max_classes_per_detection": per_box,
        "detections_per_class": 4,
        "num_classes": 5,
        "use_regular_nms": regular,
        "nms_score_threshold": 0.3,
        "nms_iou_threshold": 0.45,
        "y_scale": 10.0,
        "x_scale": 8.0,
        "h_scale": 5.0,
        "w_scale": 4.0,
    }
    inputs = [boxes, scores, const(anchors.astype(np.float32))]
    content = single("TFLite_Detection_PostProcess", inputs, [out()] * 4, custom=True, **options)
    want, got = litert(content, fed(inputs)), ours(content, fed(inputs))
    assert got[3] == want[3] > 0
    rows = int(want[3][0]) * (1 if regular else per_box)
    assert_same([g[:, :rows] for g in got[:3]], [w[:, :rows] for w in want[:3]])


def test_audio() -> None:
    signal = floats(1, 400, 2)
    check(
        "AudioSpectrogram",
        [signal],
        custom=True,
        window_size=64,
        stride=32,
        magnitude_squared=True,
        rtol=1e-4,
        atol=1e-4,
    )
    spectrogram, rate = floats(2, 1, 9, 129, low=0.1, high=3), const(np.array([16000], np.int32))
    options: dict[str, Any] = {
        "upper_frequency_limit": 4000.0,
        "lower_frequency_limit": 20.0,
        "filterbank_channel_count": 20,
        "dct_coefficient_count": 7,
    }
    check("Mfcc", [spectrogram, rate], custom=True, rtol=1e-3, atol=1e-3, **options)


@pytest.mark.parametrize("name", ["Normalize", "ExtractFeatures"])
def test_operators_on_strings_that_are_custom_ones(name: str) -> None:
    sentence = T(np.array([b"Hello"], object), dtype="object", shape=(1,))
    outputs = [out("object")] if name == "Normalize" else [out("int32"), out("float32")]
    (node,) = read_tflite_buffer(single(name, [sentence], outputs, custom=True)).nodes
    assert node.op_type == f"Custom{name}"


def complex_model(part: str) -> bytes:
    tensors = [floats(1, 3, 1, 10), const(np.array([1, 8], np.int32)), out("complex64"), out(shape=(3, 1, 5))]
    ops = [Op("RFFT2D", [0, 1], [2], "Rfft2dOptions"), Op(part, [2], [3])]
    return model_bytes([G(tensors, ops, [0], [3])])


@pytest.mark.parametrize("part", ["REAL", "IMAG", "COMPLEX_ABS"])
def test_fourier_transform(part: str) -> None:
    x = floats(1, 3, 1, 10).data
    assert_same(ours(complex_model(part), [x]), litert(complex_model(part), [x]), rtol=1e-4, atol=1e-4)


def test_four_bit_weights() -> None:
    numbers = np.array([[1, -2, 7], [-8, 3, 0], [5, -1, -4]], np.int8)
    nibbles = np.append(numbers.ravel(), 0).astype(np.uint8) & 15
    raw = (nibbles[0::2] | nibbles[1::2] << 4).astype(np.uint8).tobytes()
    weight = T(dtype="int4", shape=(3, 3), constant=True, raw=raw, scales=[0.5])
    x = floats(1, 2, 3)
    content = single("FULLY_CONNECTED", [x, weight, None], [out()], "FullyConnectedOptions", version=10)
    assert_same(ours(content, [x.data]), [x.data @ (numbers.T * np.float32(0.5))])

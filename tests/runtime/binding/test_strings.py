"""Models with string tensors: inputs, constants, outputs, and what stands for nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import STRING_DTYPE, pack_strings

from lite_delegate import (
    Context,
    DataType,
    InputError,
    KernelError,
    Model,
    ShapeError,
    Tensor,
    UnsupportedOperatorError,
)
from lite_delegate.formats.ms import ms_bytes, read_ms_buffer
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.testing.delegates import NamedDelegate
from tests.present import present
from tests.runtime.graphs import value

STRING, INT32 = DataType.STRING, DataType.INT32


def _built(graph: Graph, context: Context | None = None) -> Model:
    model = Model()
    model.build_from_graph(read_ms_buffer(ms_bytes(graph)), context)
    return model


def _node(op: str, inputs: list[Value], *dtypes: DataType, **attributes: Any) -> Node:
    outputs = [Value(f"{op}:{i}", dtype, None) for i, dtype in enumerate(dtypes)]
    return Node(op, make_primitive(op, **attributes), list(inputs), outputs)


def _grams() -> Graph:
    """The words of a sentence and their pairs; as in files, the shape of strings says how many there are."""
    sentence = value("sentence", (1,), STRING)
    clean = _node("CustomNormalize", [sentence], STRING)
    grams = _node("SkipGram", clean.outputs, STRING, ngram_size=2, include_all_grams=True)
    return Graph("main", [sentence], list(grams.outputs), [clean, grams])


def _replies() -> Graph:
    """Smart replies: the words of a sentence vote for labels, and a table has the text of each label."""
    graph = _grams()
    features = _node("CustomExtractFeatures", graph.outputs, INT32, DataType.FLOAT32)
    key = _node("CustomExtractFeatures", [constant("word", pack_strings([b"hi"]))], INT32, DataType.FLOAT32)
    label, weight = constant("label", np.array([[7]], np.int32)), constant("weight", np.array([[5]], np.float32))
    inputs = [features.outputs[0], key.outputs[0], label, weight]
    votes = _node("CustomPredict", inputs, INT32, DataType.FLOAT32, output_num=2)
    ids = constant("ids", np.array([5, 7, 9], np.int32))
    texts = constant("texts", pack_strings([b"no", "grüße".encode(), b"bye"]))
    replies = _node("HashtableLookup", [votes.outputs[0], ids, texts], STRING, DataType.UINT8)
    return Graph("main", graph.inputs, list(replies.outputs), [*graph.nodes, features, key, votes, replies])


def test_strings_go_in_and_come_out() -> None:
    model = _built(_grams())
    (sentence,) = model.get_inputs()
    assert (sentence.dtype, sentence.shape) == (STRING, [-1])
    sentence.set_strings(["Hi, you!"])
    (grams,) = model.predict([sentence])
    assert grams.dtype == STRING
    assert grams.get_strings() == ["<S> hi,", "<S>", "hi, you", "hi,", "you !", "you", "! <E>", "!", "<E>"]
    sentence.set_strings([b""])
    assert model.predict([sentence])[0].get_strings() == ["<S> <E>", "<S>", "<E>"]


@pytest.mark.parametrize("array", [np.array(["hi"]), np.array([b"hi"]), np.array([["hi"]]), pack_strings([b"hi"])])
def test_arrays_of_strings_go_in(array: np.ndarray[Any, Any]) -> None:
    (grams,) = _built(_grams()).predict({"sentence": array})
    assert grams.get_strings() == ["<S> hi", "<S>", "hi <E>", "hi", "<E>"]
    assert grams.data.dtype == STRING_DTYPE
    assert grams.shape == [grams.data.size]


def test_smart_replies() -> None:
    model = _built(_replies())
    for text, expected, hits in [("Hi!", ["grüße", ""], [1, 0]), ("bye", ["", ""], [0, 0])]:
        replies, found = model.predict({"sentence": np.array([text])})
        assert replies.get_strings() == expected
        np.testing.assert_array_equal(found.data, np.array(hits, np.uint8), strict=True)


def test_a_delegate_runs_strings_as_well() -> None:
    delegate = NamedDelegate()
    context = Context()
    context.set_delegate(delegate)
    model = _built(_grams(), context)
    assert len(model.get_partition().subgraphs) == 1
    (grams,) = model.predict({"sentence": np.array(["hi"])})
    assert grams.get_strings() == ["<S> hi", "<S>", "hi <E>", "hi", "<E>"]


def test_other_sizes_need_no_resizing() -> None:
    model = _built(_grams())
    model.resize(model.get_inputs(), [[3]])
    assert model.get_inputs()[0].shape == [-1]
    (grams,) = model.predict({"sentence": np.array(["hi"])})
    assert len(grams.get_strings()) == 5


def test_outputs_of_the_caller_are_filled() -> None:
    out = Tensor(dtype=STRING)
    _built(_grams()).predict({"sentence": np.array(["hi"])}, [out])
    assert out.get_strings()[0] == "<S> hi"


def test_bytes_are_no_strings() -> None:
    model = _built(_grams())
    with pytest.raises(InputError, match="Input 0 'sentence': expected STRING, got uint8"):
        model.predict({"sentence": pack_strings([b"hi"]).view(np.uint8)})
    with pytest.raises(InputError, match="no data was set"):
        model.predict(model.get_inputs())
    with pytest.raises(KernelError, match="a string tensor of 3 bytes cannot hold"):
        model.predict({"sentence": np.frombuffer(b"abc", STRING_DTYPE)})


def test_strings_are_no_bytes() -> None:
    x = value("x", (2,), DataType.UINT8)
    node = _node("Abs", [value("s", (1,), STRING)], STRING)
    with pytest.raises(UnsupportedOperatorError, match="Abs"):
        _built(Graph("main", [present(node.inputs[0])], list(node.outputs), [node]))
    node = _node("SkipGram", [x], STRING, ngram_size=1)
    with pytest.raises(UnsupportedOperatorError, match="SkipGram"):
        _built(Graph("main", [x], list(node.outputs), [node]))


def test_wrong_attributes_are_found_before_it_runs() -> None:
    node = _node("SkipGram", [value("s", (1,), STRING)], STRING)
    with pytest.raises(ShapeError, match=r"'SkipGram' \(SkipGram\): ngram_size must be at least 1, got 0"):
        _built(Graph("main", [present(node.inputs[0])], list(node.outputs), [node]))

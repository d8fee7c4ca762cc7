"""Contents cut out of ONNX files: with them put back, a model is what ONNX's own parser makes of the whole file."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lite_delegate.errors import LiteDelegateError
from lite_delegate.flatbuffer.problem import FormatProblem
from lite_delegate.formats.onnx import read_onnx_buffer

onnx = pytest.importorskip("onnx")
from lite_delegate.formats.onnx.protobuf import wire  # noqa: E402
from lite_delegate.formats.onnx.protobuf.fields import varint  # noqa: E402

helper = onnx.helper
BIG = np.arange(wire.MIN_CUT_BYTES, dtype=np.float32)
SMALL = np.arange(3, dtype=np.float32)


def _tensor(name: str, data: Any = BIG) -> Any:
    return onnx.numpy_helper.from_array(data, name)


def _graph(nodes: Any = (), tensors: Any = ()) -> Any:
    return helper.make_graph(list(nodes), "g", [], [], list(tensors))


def _model(graph: Any, functions: Any = ()) -> bytes:
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], functions=list(functions))
    return bytes(made.SerializeToString())


def _constant(data: Any = BIG) -> Any:
    return helper.make_node("Constant", [], ["c"], value=_tensor("", data))


def _nested(depth: int) -> Any:
    graph = _graph([_constant()], [_tensor("inner")])
    for _ in range(depth):
        graph = _graph([helper.make_node("If", ["x"], ["y"], then_branch=graph, else_branch=_graph())])
    return graph


def _function() -> Any:
    default = helper.make_attribute("value", _tensor(""))
    return helper.make_function(
        "d", "F", [], ["c"], [_constant()], [helper.make_opsetid("", 21)], attribute_protos=[default]
    )


def _everywhere() -> bytes:
    tensors = [_tensor("a"), _tensor("small", SMALL), _tensor("b", BIG * 2)]
    return _model(_graph([_constant(), *_nested(2).node], tensors), [_function()])


def _restored(found: wire.Outline) -> Any:
    """The model in what is left, with the contents put back by a walk over all its messages."""
    model = onnx.ModelProto()
    model.ParseFromString(bytes(found.rest))
    for tensor in _tensors(model):
        if tensor.raw_data in found.contents:
            tensor.raw_data = bytes(found.contents[tensor.raw_data])
    return model


def _tensors(message: Any) -> Iterator[Any]:
    if isinstance(message, onnx.TensorProto):
        yield message
    for field, value in message.ListFields():
        if field.message_type is not None:
            for inner in value if not hasattr(value, "ListFields") else [value]:
                yield from _tensors(inner)


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (_model(_graph()), 0),
        (_model(_graph(tensors=[_tensor("a"), _tensor("small", SMALL), _tensor("b")])), 2),
        (_model(_graph([_constant()])), 1),
        (_model(_nested(3)), 2),
        (_model(_graph(), [_function()]), 2),
        (_model(_graph([helper.make_node("N", [], ["y"], graphs=[_nested(0), _nested(1)])])), 4),
        (_everywhere(), 7),
    ],
    ids=["nothing", "initializers", "attribute", "subgraphs", "function", "graphs", "everything"],
)
def test_contents_are_cut_out_and_everything_else_stays(data: bytes, count: int) -> None:
    found = wire.outline(data)
    assert len(found.contents) == count
    assert len(found.rest) == len(data) if not count else len(found.rest) < wire.MIN_CUT_BYTES
    assert _restored(found) == onnx.ModelProto.FromString(data)


@pytest.mark.parametrize(("size", "count"), [(wire.MIN_CUT_BYTES - 1, 0), (wire.MIN_CUT_BYTES, 1)])
def test_the_smallest_contents_that_are_cut(size: int, count: int) -> None:
    data = _model(_graph(tensors=[_tensor("a", np.zeros(size, np.uint8))]))
    assert len(wire.outline(data).contents) == count


def test_contents_are_where_they_were() -> None:
    data = _model(_graph(tensors=[_tensor("a")]))
    (content,) = wire.outline(data).contents.values()
    assert content.obj is data
    assert bytes(content) == BIG.tobytes()


def test_of_contents_given_twice_the_last_count() -> None:
    twice = _tensor("a").SerializeToString() + onnx.TensorProto(raw_data=BIG[::-1].tobytes()).SerializeToString()
    data = b"\x3a" + varint(len(twice) + 4) + b"\x2a" + varint(len(twice)) + twice
    found = wire.outline(data)
    assert bytes(found.contents[_restored_key(found)]) == BIG[::-1].tobytes()


def _restored_key(found: wire.Outline) -> bytes:
    model = onnx.ModelProto()
    model.ParseFromString(bytes(found.rest))
    return bytes(model.graph.initializer[0].raw_data)


def test_a_key_in_a_file_means_nothing() -> None:
    data = _model(_graph(tensors=[_tensor("a")]))
    (one,), (other,) = wire.outline(data).contents, wire.outline(data).contents
    assert len(one) == 16
    assert one != other


@pytest.mark.parametrize(("limit", "count"), [(5, 1), (4, 0)])
def test_fields_after_the_last_that_is_looked_at_stay(monkeypatch: Any, limit: int, count: int) -> None:
    data = _field(7, _field(5, _field(8, b"a") + _field(9, BIG.tobytes()) + _field(8, b"b")))
    assert len(wire.outline(data).contents) == 1
    monkeypatch.setattr(wire, "MAX_FIELDS", limit - 1)
    found = wire.outline(data)
    assert len(found.contents) == count
    assert _restored(found) == onnx.ModelProto.FromString(data)


@pytest.mark.parametrize(("limit", "count"), [(2, 1), (1, 0)])
def test_messages_below_the_deepest_that_is_looked_into_stay(monkeypatch: Any, limit: int, count: int) -> None:
    monkeypatch.setattr(wire, "MAX_DEPTH", limit + 1)
    data = _field(7, _field(5, _field(9, BIG.tobytes())))
    found = wire.outline(data)
    assert len(found.contents) == count
    assert _restored(found) == onnx.ModelProto.FromString(data)


def _field(number: int, contents: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(contents)) + contents


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x80", "a number does not end at byte 0"),
        (b"\x08" + b"\x80" * 10 + b"\0", "a number does not end at byte 1"),
        (b"\xff\xff\xff\xff\xff\x00", "a number does not end at byte 0"),
        (b"\xff\xff\xff\xff\x1f", "field number"),
        (b"\x02", "field number 0 at byte 0"),
        (b"\x0b\x0c", "wire type 3 at byte 0"),
        (b"\x08\x01\x0e", "wire type 6 at byte 2"),
        (b"\x3a\x05abcd", "field 7 takes 5 bytes, at most 4 may follow at byte 0"),
        (b"\x09\0\0\0\0\0\0\0", "field 1 takes 8 bytes, at most 7 may follow at byte 0"),
        (b"\x0d\0\0\0", "field 1 takes 4 bytes, at most 3 may follow at byte 0"),
    ],
)
def test_what_is_no_row_of_fields_is_rejected(data: bytes, message: str) -> None:
    with pytest.raises(FormatProblem, match=f"not an ONNX model: {message}"):
        wire.outline(data)


@pytest.mark.parametrize("data", [b"\x08" + b"\x80" * 9 + b"\0", b"\x09" + b"\0" * 8, b"\x0d" + b"\0" * 4, b"\x3a\x00"])
def test_the_longest_numbers_and_fixed_ones_are_stepped_over(data: bytes) -> None:
    assert wire.outline(data).rest == data


def _agrees(data: bytes) -> None:
    """The walker rejects, or what it leaves means the same to ONNX's own parser as the whole."""
    try:
        found = wire.outline(data)
    except FormatProblem:
        return
    try:
        expected = onnx.ModelProto.FromString(data)
    except Exception:
        expected = None
    try:
        model = _restored(found)
    except Exception:
        model = None
    assert (model is None) == (expected is None)
    if expected is not None:
        # As bytes: messages with numbers that are NaN are not equal to themselves.
        assert model.SerializeToString(deterministic=True) == expected.SerializeToString(deterministic=True)


SEEDS = (_everywhere(), _model(_nested(2)), _model(_graph([_constant()], [_tensor("a", SMALL)]), [_function()]))


def _structure(data: bytes) -> list[int]:
    """The places outside of contents, and some at the ends of these: the rest is arbitrary bytes to everybody."""
    inside: set[int] = set()
    for contents in (BIG.tobytes(), (BIG * 2).tobytes()):
        start = data.find(contents)
        while start >= 0:
            inside.update(range(start + 8, start + len(contents) - 8))
            start = data.find(contents, start + len(contents))
    return [i for i in range(len(data)) if i not in inside]


PLACES = {seed: _structure(seed) for seed in SEEDS}


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A model with bytes of its structure changed, dropped, repeated or cut off."""
    seed = draw(st.sampled_from(SEEDS))
    data, places = bytearray(seed), PLACES[seed]
    rng = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, 4))):
        at = min(rng.choice(places), len(data) - 1)
        choice = rng.randrange(4)
        if choice == 0:
            data[at] = rng.randrange(256)
        elif choice == 1:
            data[at] ^= 1 << rng.randrange(8)
        elif choice == 2:
            del data[at : at + rng.randrange(1, 8)]
        else:
            data[at:at] = data[at : at + rng.randrange(1, 8)]
    return bytes(data[: draw(st.none() | st.sampled_from(places))])


@settings(deadline=None, max_examples=200)
@given(data=damaged())
def test_damaged_models_mean_the_same_to_onnx_or_are_rejected(data: bytes) -> None:
    _agrees(data)


@settings(deadline=None, max_examples=300)
@given(data=st.binary(max_size=200), least=st.sampled_from([1, 4]))
@example(data=_field(7, _field(5, b"\x4a\x81\x80\x80\x80\x00x")), least=1)
@example(data=b"\x3a\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00\x08", least=1)
@example(data=_field(7, _field(5, b"\x4a\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00x")), least=1)
@example(data=_field(7, _field(5, b"\x4a\x81\x80\x80\x80\x80\x80\x80\x80\x80\x02x")), least=1)
def test_any_bytes_mean_the_same_to_onnx_or_are_rejected(data: bytes, least: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "MIN_CUT_BYTES", least)
        _agrees(data)
        _agrees(_field(7, data))
        _agrees(_field(7, _field(5, data)))


@settings(deadline=None, max_examples=100)
@given(data=damaged())
def test_damaged_models_are_read_or_rejected_in_words(data: bytes) -> None:
    with suppress(LiteDelegateError):
        read_onnx_buffer(data)

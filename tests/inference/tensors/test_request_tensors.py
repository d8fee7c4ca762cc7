"""Tensors of a request: what is read and written without a copy, and why something is copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import DataType, InputError, KernelError, ShapeError, Tensor
from lite_delegate.inference import CompiledModel, InferRequest, Port, compile_graph
from lite_delegate.ir import Graph, Node, Value, make_primitive
from lite_delegate.runtime.settings import Settings
from tests.inference.requests.test_request_calls import Custom
from tests.inference.reusing import STEP, ReusingDelegate, built
from tests.runtime.graphs import chain

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def doubling(shape: tuple[int, ...] = (2, 3), dtype: DataType = DataType.FLOAT32) -> CompiledModel:
    """x -> x + x."""
    x = Value("x", dtype, shape)
    node = Node("twice", make_primitive("AddFusion"), [x, x], [Value("y", dtype, shape)])
    return compile_graph(Graph("main", [x], list(node.outputs), [node]), Settings())


def adding() -> CompiledModel:
    """a, b -> a + b, and b + b."""
    a, b = (Value(name, DataType.FLOAT32, (2, 3)) for name in "ab")
    sums = [
        Node(f"n{name}", make_primitive("AddFusion"), [first, b], [Value(name, DataType.FLOAT32, (2, 3))])
        for name, first in (("ab", a), ("bb", b))
    ]
    return compile_graph(Graph("main", [a, b], [n.outputs[0] for n in sums], sums), Settings())


def nonzero() -> CompiledModel:
    """x -> the positions of what is not 0: as many columns as there are."""
    x = Value("x", DataType.FLOAT32, (2, 3))
    node = Node("where", make_primitive("NonZero"), [x], [Value("y", DataType.INT32, (2, -1))])
    return compile_graph(Graph("main", [x], list(node.outputs), [node]), Settings())


def of_inputs(request: InferRequest) -> list[tuple[str, int, str]]:
    return [(c.port.name, c.nbytes, c.reason) for c in request.copies if isinstance(c.port, Port) and c.port.is_input]


def test_the_own_tensor_keeps_its_memory_and_feeds_runs() -> None:
    request = doubling().create_infer_request()
    own = request.get_tensor("x").data
    for i in range(3):
        own[:] = X + i
        np.testing.assert_array_equal(request.infer()[0], 2 * (X + i))
        assert request.get_input_tensor().data is own
        assert of_inputs(request) == []
    y = request.get_tensor("y").data
    request.infer()
    assert request.get_output_tensor(0).data is y


def unaligned(array: Array) -> Array:
    raw = np.empty(array.nbytes + 1, np.uint8)
    odd = raw[1:].view(array.dtype).reshape(array.shape)
    odd[:] = array
    return odd


@pytest.mark.parametrize(
    ("given", "reasons"),
    [
        (X.copy(), []),
        (unaligned(X), ["not aligned"]),
        (np.asfortranarray(X), ["not contiguous"]),
        (np.repeat(X, 2, 1)[:, ::2], ["not contiguous"]),
        (X.astype(np.float64), ["converted from float64 to float32"]),
        (X.astype(np.int8), ["converted from int8 to float32"]),
    ],
    ids=["own", "unaligned", "Fortran order", "strided", "float64", "int8"],
)
def test_copied_inputs_have_a_reason(given: Array, reasons: list[str]) -> None:
    request = doubling().create_infer_request()
    request.set_tensor("x", given)
    np.testing.assert_array_equal(request.infer()[0], X + X)
    assert of_inputs(request) == [("x", X.nbytes, reason) for reason in reasons]
    np.testing.assert_array_equal(request.infer(given)[0], X + X)
    assert of_inputs(request) == [("x", X.nbytes, reason) for reason in reasons]


def test_memory_that_is_set_is_read_where_it_is() -> None:
    request, given = doubling().create_infer_request(), X.copy()
    request.set_tensor("x", given)
    assert np.shares_memory(request.get_tensor("x").data, given)
    given += 1
    np.testing.assert_array_equal(request.infer()[0], 2 * (X + 1))


def test_arrays_that_can_only_be_read_are_not_copied() -> None:
    request, given = doubling().create_infer_request(), X.copy()
    given.flags.writeable = False
    for tensor in (given, Tensor(given, shared_memory=True)):
        request.set_tensor("x", tensor)
        np.testing.assert_array_equal(request.infer()[0], X + X)
        assert of_inputs(request) == []
    np.testing.assert_array_equal(request.infer({"x": given})[0], X + X)
    assert not given.flags.writeable


def test_every_output_is_one_copy() -> None:
    request = doubling().create_infer_request()
    request.infer(X)
    ((port, nbytes, reason),) = [(c.port.name, c.nbytes, c.reason) for c in request.copies]
    assert (port, nbytes, reason) == ("y", 24, "a step's result is written to the tensor at the commit")


@pytest.mark.parametrize("rank", range(1, 6))
def test_a_box_is_the_slice_of_an_array(rank: int) -> None:
    random = np.random.default_rng(rank)
    for _ in range(10):
        shape = tuple(random.integers(1, 6, rank))
        whole = random.random(shape, np.float32)
        begin = [int(random.integers(0, d)) for d in shape]
        end = [int(random.integers(b + 1, d + 1)) for b, d in zip(begin, shape, strict=True)]
        part = whole[tuple(map(slice, begin, end))]
        box = Tensor(whole, shared_memory=True).roi(begin, end)
        request = doubling(part.shape).create_infer_request()
        request.set_tensor("x", box)
        np.testing.assert_array_equal(request.infer()[0], part + part)
        reasons = [] if part.flags.c_contiguous else ["not contiguous"]
        assert of_inputs(request) == [("x", part.nbytes, reason) for reason in reasons]


@pytest.mark.parametrize(
    ("begin", "end"),
    [([-1, 0], [1, 1]), ([0, 0], [3, 1]), ([0, 2], [1, 1]), ([0], [1]), ([0, 0], [1, 4]), ([0.5, 0], [1, 1])],
)
def test_a_box_that_is_not_inside_is_rejected_with_the_bounds(begin: Any, end: Any) -> None:
    with pytest.raises(InputError, match=r"does not lie between \[0, 0\] and \[2, 3\]|expected 2 integers for shape"):
        Tensor(X).roi(begin, end)


def test_a_box_of_strings_is_rejected() -> None:
    with pytest.raises(InputError, match="needs elements of whole bytes"):
        Tensor.describe("s", DataType.STRING, (4,)).roi([0], [2])


def test_an_output_is_written_to_its_box_only() -> None:
    canvas = np.full((4, 7), -1, np.float32)
    whole = Tensor(canvas, shared_memory=True)
    request = doubling().create_infer_request()
    request.set_tensor("y", whole.roi([1, 2], [4, 7]).roi([0, 1], [2, 4]))
    request.infer(X)
    want = np.full((4, 7), -1, np.float32)
    want[1:3, 3:6] = X + X
    np.testing.assert_array_equal(canvas, want)
    np.testing.assert_array_equal(whole.roi([1, 3], [3, 6]).data, X + X)


def test_strided_views_of_views_as_input_and_output() -> None:
    source, target = np.repeat(np.repeat(X, 2, 0), 2, 1), np.zeros((4, 6), np.float32)
    request = doubling().create_infer_request()
    request.set_tensor("x", source[::2][:, ::2])
    request.set_tensor("y", target[::2][:, 1::2])
    request.infer()
    np.testing.assert_array_equal(target[::2, 1::2], X + X)
    assert not target[1::2].any()
    assert not target[:, ::2].any()


def test_joined_tensors_are_the_batch() -> None:
    request = doubling().create_infer_request()
    row = Tensor(X[:1])
    request.set_tensors("x", [row, X[1:]])
    np.testing.assert_array_equal(request.infer()[0], X + X)
    assert of_inputs(request) == [("x", 24, "joined from 2 tensors")]
    row.data[:] = 7
    np.testing.assert_array_equal(request.infer()[0][0], [14, 14, 14])
    request.set_tensor("x", X + 1)
    np.testing.assert_array_equal(request.infer()[0], 2 * X + 2)
    request.set_tensors("x", [X[:, i : i + 1] for i in range(3)], batch_axis=1)
    np.testing.assert_array_equal(request.infer()[0], X + X)
    request.set_tensors("x", [X])
    np.testing.assert_array_equal(request.infer()[0], X + X)


@pytest.mark.parametrize(
    ("tensors", "axis", "text"),
    [
        ([X[:1]] * 3, 0, r"Input 0 'x': expected 2 tensors, one for each item, got 3"),
        ([], 0, r"expected 2 tensors, one for each item, got 0"),
        ([X[:1], X], 0, r"Input 0 'x', item 1: expected shape \[1, 3\], got \[2, 3\]"),
        ([X[:1], X[:1].astype(np.float64)], 0, r"Input 0 'x', item 1: expected FLOAT32, got float64"),
        ([X[:1], X[1:]], 2, r"has no dimension 2 to join along"),
        ([X[:1], X[1:]], -1, r"has no dimension -1 to join along"),
        ([X], 7, r"has no dimension 7 to join along"),
    ],
)
def test_tensors_that_do_not_join(tensors: Any, axis: int, text: str) -> None:
    request = doubling().create_infer_request()
    request.set_tensor("x", X)
    with pytest.raises(InputError, match=text):
        request.set_tensors("x", tensors, batch_axis=axis)
    np.testing.assert_array_equal(request.infer()[0], X + X)


def test_outputs_are_not_joined() -> None:
    with pytest.raises(InputError, match="only inputs are joined"):
        doubling().create_infer_request().set_tensors("y", [X])


def test_one_array_for_two_inputs_and_an_output_over_an_input() -> None:
    request, shared = adding().create_infer_request(), X.copy()
    request.set_tensor("a", shared)
    request.set_tensor("b", shared)
    request.set_tensor("ab", shared)
    assert [r.tolist() for r in request.infer()] == [(X + X).tolist()] * 2
    np.testing.assert_array_equal(shared, X + X)
    np.testing.assert_array_equal(request.infer()["bb"], 4 * X)


def test_an_output_over_a_part_of_an_input() -> None:
    memory = np.arange(9, dtype=np.float32)
    request = doubling((6,)).create_infer_request()
    request.set_tensor("x", memory[:6])
    request.set_tensor("y", memory[3:])
    request.infer()
    np.testing.assert_array_equal(memory, [0, 1, 2, 0, 2, 4, 6, 8, 10])


def test_two_outputs_over_each_other_are_rejected() -> None:
    request, memory = adding().create_infer_request(), np.zeros((3, 3), np.float32)
    request.set_tensor("ab", memory[:2])
    with pytest.raises(InputError, match="Output 1 'bb': its tensor shares memory with that of Output 0 'ab'"):
        request.set_tensor("bb", memory[1:])
    request.infer([X, X])
    np.testing.assert_array_equal(memory[:2], X + X)


def test_the_output_of_a_request_is_the_input_of_another() -> None:
    first, second = doubling().create_infer_request(), doubling().create_infer_request()
    shared = Tensor(np.zeros_like(X))
    first.set_tensor("y", shared)
    second.set_tensor("x", shared)
    for i in range(2):
        first.infer(X + i)
        np.testing.assert_array_equal(second.infer()[0], 4 * (X + i))
    third = doubling().create_infer_request()
    third.set_tensor("x", second.get_tensor("y"))
    np.testing.assert_array_equal(third.infer()[0], 8 * (X + 1))
    np.testing.assert_array_equal(doubling().create_infer_request().infer(third.results)[0], 16 * (X + 1))


def test_own_arrays_can_only_be_read_while_a_run_is_under_way() -> None:
    custom = Custom()
    x = custom.request.get_tensor("x").data
    custom.request.infer()
    y = custom.request.get_tensor("y").data
    with custom.running():
        for array in (x, y):
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 1
    x[:] = y[:] = 1
    custom.fails = True
    with pytest.raises(Exception, match="no such table"):
        custom.request.infer()
    x[:] = y[:] = 1


def test_outputs_that_nobody_looks_at_are_kept_as_they_came() -> None:
    request = doubling().create_infer_request()
    (place,) = request._tensors.outputs
    for number in range(3):
        request.infer([X + number])[0][...] = -1  # the caller's own
    assert place.tensor.held is None
    y = request.get_tensor("y").data
    np.testing.assert_array_equal(y, 2 * (X + 2))
    request.infer([X])
    assert place.tensor.held is y
    np.testing.assert_array_equal(y, 2 * X)


@pytest.mark.parametrize("look", ["results", "get_tensor", "set_tensor", "share"])
def test_outputs_are_the_outputs_of_the_last_finished_run_for_every_reader(look: str) -> None:
    request = doubling().create_infer_request()
    request.infer([X])
    if look == "share":
        shared = request.infer([X + 1], share_outputs=True)[0]
        request.infer([X])
        np.testing.assert_array_equal(shared, 2 * X)
        return
    if look == "set_tensor":
        target = np.zeros((2, 3), np.float32)
        request.set_tensor("y", target)
        assert not target.any()
        request.infer([X])
        np.testing.assert_array_equal(target, 2 * X)
        return
    seen = request.results[0] if look == "results" else request.get_output_tensor().data
    np.testing.assert_array_equal(seen, 2 * X)


def test_results_that_nobody_was_given_are_not_protected() -> None:
    request = doubling().create_infer_request()
    request.set_tensor("x", X.copy())
    request.infer()
    assert not request._tensors.own
    y = request.get_tensor("y")
    assert list(request._tensors.own) == [y]


@pytest.mark.parametrize("way", ["array", "list", "tuple", "names", "words"])
def test_arrays_that_fit_are_read_without_a_second_look(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("they were looked at")

    request = doubling().create_infer_request()
    monkeypatch.setattr(request._tensors, "read", never)
    given: dict[str, Any] = {"array": X, "list": [X], "tuple": (X,), "names": {"x": X}}
    results = request.infer(x=X) if way == "words" else request.infer(given[way])
    np.testing.assert_array_equal(results[0], 2 * X)


def test_a_tensor_of_the_user_is_written_where_it_is() -> None:
    request = doubling().create_infer_request()
    for target in (np.zeros_like(X), Tensor(np.zeros_like(X)), Tensor(shape=[2, 3], dtype=DataType.FLOAT32)):
        memory = target if isinstance(target, np.ndarray) else target.data
        request.set_output_tensor(0, target)
        results = request.infer(X)
        np.testing.assert_array_equal(memory, X + X)
        assert not np.shares_memory(results[0], memory)
        assert np.shares_memory(request.infer(X, share_outputs=True)[0], memory)


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (np.zeros((3, 2), np.float32), r"Output 0 'y': expected shape \[2, 3\], got \[3, 2\]"),
        (np.zeros((2, 3), np.float64), r"Output 0 'y': expected FLOAT32, got FLOAT64"),
    ],
)
def test_a_tensor_that_does_not_fit_an_output(target: Array, text: str) -> None:
    with pytest.raises(InputError, match=text):
        doubling().create_infer_request().set_tensor("y", target)


def test_an_output_that_can_only_be_read() -> None:
    target = np.zeros_like(X)
    target.flags.writeable = False
    with pytest.raises(InputError, match="memory can only be read"):
        doubling().create_infer_request().set_tensor("y", target)


TWO, FOUR = np.array([[1, 0, 0], [0, 0, 1]], np.float32), np.array([[1, 1, 0], [1, 0, 1]], np.float32)


def positions(x: Array) -> Array:
    """Of what is not 0, by hand, as the operator gives them: a row for each dimension."""
    found = [(i, j) for i in range(2) for j in range(3) if x[i, j]]
    return np.array(found, np.int32).T


def test_a_dynamic_output_has_ranges_before_the_run_and_its_shape_after_it() -> None:
    compiled = nonzero()
    request = compiled.create_infer_request()
    assert (compiled.output().ranges, str(compiled.output())) == (((2, 2), (0, None)), "Output 0 'y': INT32 [2, 0..]")
    handle = request.get_tensor("y")
    assert handle.shape == [2, -1]
    for x in (TWO, FOUR, TWO):
        (want,) = request.infer(x)
        assert handle.shape == list(want.shape)
        np.testing.assert_array_equal(handle.data, positions(x))


def test_a_tensor_that_is_too_small_grows_if_its_memory_is_its_own() -> None:
    request = nonzero().create_infer_request()
    own = Tensor(np.zeros((2, 2), np.int32))
    request.set_tensor("y", own)
    request.infer(FOUR)
    np.testing.assert_array_equal(own.data, positions(FOUR))
    request.infer(TWO)
    np.testing.assert_array_equal(own.data, positions(TWO))


def test_borrowed_memory_is_never_replaced() -> None:
    request, memory = nonzero().create_infer_request(), np.full((2, 4), -1, np.int32)
    borrowed = Tensor(memory, shared_memory=True)
    request.set_tensor("y", borrowed)
    for x in (TWO, FOUR):
        request.infer(x)
        np.testing.assert_array_equal(borrowed.data, positions(x))
        assert np.shares_memory(borrowed.data, memory)
    small = np.full((2, 3), -1, np.int32)
    request.set_tensor("y", small)
    with pytest.raises(ShapeError, match=r"the run gave 32 bytes of shape \[2, 4\].* has 24 bytes of shape \[2, 3\]"):
        request.infer(FOUR)
    assert (small == -1).all()
    request.infer(TWO)
    np.testing.assert_array_equal(request.results[0], positions(TWO))
    np.testing.assert_array_equal(small.ravel()[:4], positions(TWO).ravel())


def test_predict_writes_to_the_tensors_that_it_is_given_and_checks_them() -> None:
    model = built(chain(1), ReusingDelegate())
    target = np.zeros((2, 3), np.float32)
    model.predict([X], [Tensor(target, shared_memory=True)])
    np.testing.assert_array_equal(target, X + STEP)
    target.flags.writeable = False
    with pytest.raises(InputError, match=r"Output 0 '.*': the tensor's memory can only be read"):
        model.predict([X], [Tensor(target, shared_memory=True)])


def test_a_run_that_fails_leaves_the_kept_results_of_the_run_before() -> None:
    custom = Custom()
    request = custom.request
    request.infer([X])
    custom.fails = True
    with pytest.raises(KernelError):
        request.infer([X - 1])
    np.testing.assert_array_equal(request.get_tensor("y").data, X + 1)

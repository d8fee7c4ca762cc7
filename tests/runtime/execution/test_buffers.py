"""Graph kernels that are bound to arrays: when they are, to which, and that nobody can tell by what comes out."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import (
    BoundKernel,
    Context,
    DataType,
    Delegate,
    DelegateExecuteError,
    DelegateModel,
    Kernel,
    Model,
    Supported,
    SupportResult,
    Tensor,
)
from lite_delegate.delegate import SpanKind
from lite_delegate.delegate.calls.spans import recording
from lite_delegate.inference import InferRequest
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.runtime.execution import buffers, room
from lite_delegate.runtime.execution.fallback import Fallback
from lite_delegate.runtime.execution.graph_call import graph_call
from lite_delegate.runtime.execution.steps import BoundSteps

LARGE = buffers.KEPT_BYTES // 4 + 1
LARGEST = buffers.LASTING_BYTES // 4 + 1


class PlusOne(BoundKernel):
    """Adds one; notes what it is bound to."""

    fails = 0

    def __init__(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], notes: list[tuple[int, int]]) -> None:
        super().__init__("G", "G", inputs, outputs)
        self.notes = notes

    def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object]:
        (x,), (y,) = inputs, outputs
        self.notes.append((x.ctypes.data, y.ctypes.data))
        if type(self).fails == len(self.notes):
            return lambda: 1 // 0
        return lambda: np.add(x, 1, out=y)

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        return type(self)(inputs, outputs, self.notes)


class Binding(Delegate):
    """Takes everything, each node on its own."""

    name = "binding"

    def __init__(self, kernel: Callable[..., Kernel] = PlusOne) -> None:
        self.kernel = kernel
        self.notes: list[tuple[int, int]] = []

    def supports(self, kernel: Kernel) -> SupportResult | None:
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        return self.kernel([t for t in boundary.inputs if not t.is_const], boundary.outputs, self.notes)


def addition(size: int) -> Graph:
    x, y = (Value(name, DataType.FLOAT32, (size,)) for name in "xy")
    one = constant("one", np.ones(1, np.float32))
    return Graph("addition", [x], [y], [Node("add", make_primitive("AddFusion"), [x, one], [y])])


def built(delegate: Delegate, size: int, on_error: str = "raise") -> InferRequest:
    context = Context()
    context.set_delegate(delegate)
    context.on_delegate_error = on_error
    model = Model()
    model.build_from_graph(addition(size), context)
    assert model.get_graph_kernels()
    return model.compiled.create_infer_request()


def floats(size: int, start: float = 0) -> Array:
    return np.arange(start, start + size, dtype=np.float32)


@pytest.mark.parametrize("on_error", ["raise", "fallback"])
def test_it_is_bound_once_while_the_input_is_the_same_array_whatever_it_holds(on_error: str) -> None:
    delegate, x = Binding(), floats(4)
    request = built(delegate, 4, on_error)
    first = request.infer([x])[0]
    x += 10
    second = request.infer([x])[0]
    np.testing.assert_array_equal(first, floats(4, 1))
    np.testing.assert_array_equal(second, floats(4, 11))
    assert len(delegate.notes) == 1


def test_it_is_bound_again_to_an_input_that_was_exchanged_with_the_same_output() -> None:
    delegate = Binding()
    request = built(delegate, 4)
    a, b = floats(4), floats(4, 20)
    for x in (a, b, a):
        np.testing.assert_array_equal(request.infer([x])[0], x + 1)
    reads, writes = zip(*delegate.notes, strict=True)
    assert reads == (a.ctypes.data, b.ctypes.data, a.ctypes.data)
    assert len(set(writes)) == 1


def test_it_is_bound_again_after_set_tensor() -> None:
    delegate = Binding()
    request = built(delegate, 4)
    for x in (floats(4), floats(4, 7)):
        request.set_tensor("x", x)
        for _ in range(3):
            np.testing.assert_array_equal(request.infer()[0], x + 1)
    assert len(delegate.notes) == 2


@pytest.mark.parametrize("size", [4, LARGE, LARGEST])
def test_arrays_that_the_caller_holds_never_change(size: int) -> None:
    request = built(Binding(), size)
    held = [request.infer([floats(size, start)])[0] for start in range(4)]
    for start, y in enumerate(held):
        np.testing.assert_array_equal(y, floats(size, start + 1))


@pytest.mark.parametrize("size", [LARGE, LARGEST])
def test_large_outputs_reach_the_caller_without_a_copy(size: int) -> None:
    delegate = Binding()
    request = built(delegate, size)
    for _ in range(3):
        y = request.infer([floats(size)])[0]
        assert y.ctypes.data in [written for _, written in delegate.notes]


def part(y: Array) -> Any:
    return y.reshape(-1)[3:].view()[::2]


def in_a_buffer(y: Array) -> Any:
    return y.data


def nothing(y: Array) -> Any:
    return None


@pytest.mark.parametrize(("held", "bound"), [(nothing, 1), (np.asarray, 2), (part, 2), (in_a_buffer, 2)])
def test_a_room_is_written_to_again_once_nobody_has_any_of_it(held: Callable[[Array], Any], bound: int) -> None:
    delegate, x = Binding(), floats(LARGE)
    request = built(delegate, LARGE)
    kept: Any = None
    for number in range(8):
        x[:] = number
        y = request.infer([x])[0]
        assert y[-1] == number + 1
        if kept is not None:
            assert np.asarray(kept).flat[-1] == number
        kept = held(y)
        del y
    assert len(delegate.notes) == bound


def test_who_keeps_all_results_has_all_of_their_memory() -> None:
    delegate, x = Binding(), floats(LARGE)
    request = built(delegate, LARGE)
    held = [request.infer([x])[0] for _ in range(5)]
    assert len({y.ctypes.data for y in held}) == len(delegate.notes) == 5
    del held
    for _ in range(3):
        request.infer([x])
    assert len(delegate.notes) == 5


def test_what_is_done_to_the_array_that_the_caller_has_changes_nothing_but_its_contents() -> None:
    delegate, x = Binding(), floats(LARGE)
    request = built(delegate, LARGE)
    y = request.infer([x])[0]
    y.shape = (1, LARGE)
    y.flags.writeable = False
    del y
    again = request.infer([x])[0]
    assert again.shape == (LARGE,)
    assert again.flags.writeable
    assert len(delegate.notes) == 1


def test_a_result_may_be_the_next_input() -> None:
    request, y = built(Binding(), LARGE), floats(LARGE)
    for _ in range(4):
        y = request.infer([y])[0]
    np.testing.assert_array_equal(y, floats(LARGE, 4))


def test_rooms_begin_at_other_places_within_a_page_than_memory_of_malloc() -> None:
    delegate = Binding()
    built(delegate, LARGE).infer([floats(LARGE)])
    assert delegate.notes[0][1] % room.ALIGNED == 0


def test_the_tensors_that_were_set_for_outputs_get_what_it_gave() -> None:
    request, y = built(Binding(), 4), np.zeros(4, np.float32)
    request.set_tensor("y", y)
    for start in (0, 5):
        request.infer([floats(4, start)])
        np.testing.assert_array_equal(y, floats(4, start + 1))


def test_each_request_has_buffers_of_its_own() -> None:
    delegate, x = Binding(), floats(4)
    first = built(delegate, 4)
    other = built(delegate, 4)
    first.infer([x])
    other.infer([x])
    assert len({written for _, written in delegate.notes}) == 2


def test_nothing_is_bound_to_an_input_that_is_not_in_one_piece() -> None:
    x, y = (Tensor.describe(name, DataType.FLOAT32, (4,)) for name in "xy")
    kernel = PlusOne([x], [y], [])
    binding, spread = buffers.Binding(kernel), floats(8)[::2]
    assert binding.bind([spread], [spread]) is None
    assert kernel.notes == []


def test_an_input_is_let_go_with_the_run() -> None:
    class Kept(PlusOne):
        """Keeps nothing itself."""

        def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object]:
            super().bind(inputs, outputs)
            known: Callable[[], Any] = weakref.ref(inputs[0])
            return lambda: np.add(known(), 1, out=outputs[0])

    request, x = built(Binding(Kept), 4), floats(4)
    request.infer([x])
    known = weakref.ref(x)
    del x
    gc.collect()
    assert known() is None
    np.testing.assert_array_equal(request.infer([floats(4, 3)])[0], floats(4, 4))


def test_a_failure_is_run_by_the_cpu_and_then_it_is_bound_again() -> None:
    class Failing(PlusOne):
        fails = 1

    delegate, x = Binding(Failing), floats(4)
    request = built(delegate, 4, "fallback")
    for _ in range(3):
        np.testing.assert_array_equal(request.infer([x])[0], x + 1)
    assert len(delegate.notes) == 2


def test_a_failure_is_the_callers_without_a_fallback() -> None:
    class Failing(PlusOne):
        fails = 1

    request, x = built(Binding(Failing), 4), floats(4)
    with pytest.raises(DelegateExecuteError, match=r"Graph kernel 'G' \(G\) failed: .*zero"):
        request.infer([x])
    np.testing.assert_array_equal(request.infer([x])[0], x + 1)


def test_a_class_that_overrides_execute_alone_is_executed() -> None:
    executed: list[int] = []

    class Noting(PlusOne):
        def execute(self) -> None:
            executed.append(1)
            super().execute()

    request = built(Binding(Noting), 4)
    for _ in range(2):
        request.infer([floats(4)])
    assert len(executed) == 2


def test_buffers_that_it_does_not_take_are_executed() -> None:
    class Choosing(Kernel):
        gives_new_arrays = True

        def __init__(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], notes: list[tuple[int, int]]) -> None:
            super().__init__("G", "G", inputs, outputs)
            self.notes = notes

        def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object] | None:
            return None

        def execute(self) -> None:
            self.outputs[0].data = self.inputs[0].data + np.float32(1)

        def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
            return Choosing(inputs, outputs, self.notes)

    request = built(Binding(Choosing), 4)
    for start in (0, 5):
        np.testing.assert_array_equal(request.infer([floats(4, start)])[0], floats(4, start + 1))


def test_the_second_of_two_inputs_may_be_exchanged_alone() -> None:
    class Sum(PlusOne):
        def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object]:
            a, b = inputs
            self.notes.append((a.ctypes.data, b.ctypes.data))
            return lambda: np.add(a, b, out=outputs[0])

    a, b, y = (Value(name, DataType.FLOAT32, (4,)) for name in "aby")
    delegate, context, model = Binding(Sum), Context(), Model()
    context.set_delegate(delegate)
    model.build_from_graph(Graph("sum", [a, b], [y], [Node("add", make_primitive("AddFusion"), [a, b], [y])]), context)
    request, first, second = model.compiled.create_infer_request(), floats(4), floats(4, 9)
    for inputs in ([first, first], [first, second], [first, second]):
        np.testing.assert_array_equal(request.infer(inputs)[0], inputs[0] + inputs[1])
    assert len(delegate.notes) == 2


def test_where_a_run_calls_it_several_times_each_result_is_a_copy() -> None:
    x, y = (Tensor.describe(name, DataType.FLOAT32, (4,)) for name in "xy")
    kernel = PlusOne([x], [y], [])
    call = graph_call(kernel, Fallback(kernel, None), repeats=True)
    (first,), (second,) = call(floats(4)), call(floats(4, 9))
    np.testing.assert_array_equal(first, floats(4, 1))
    np.testing.assert_array_equal(second, floats(4, 10))


def test_an_input_that_is_an_output_too_is_copied_though_a_room_has_lent_it() -> None:
    lent = built(Binding(), LARGE).infer([floats(LARGE)])[0]
    passing = addition(LARGE)
    context = Context()
    context.set_delegate(Binding())
    model = Model()
    model.build_from_graph(Graph("both", passing.inputs, [*passing.inputs, *passing.outputs], passing.nodes), context)
    for x, y in (model.compiled([lent]), model.compiled([lent])):
        assert not np.shares_memory(x, lent)
        np.testing.assert_array_equal(x, lent)
        np.testing.assert_array_equal(y, lent + 1)


class Told(PlusOne):
    """Notes of each run what numpy does where numbers overflow."""

    words: ClassVar[list[str]] = []

    def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object]:
        return lambda: self.words.append(np.geterr()["over"])


class ToldElsewhere(Told):
    """One that computes with threads of its own."""

    has_own_threads = True


def test_numpy_is_told_to_be_quiet_only_where_it_may_compute() -> None:
    Told.words.clear()
    for kind in (Told, ToldElsewhere):
        built(Binding(kind), 4).infer([floats(4)])
    assert Told.words == ["ignore", np.geterr()["over"]]


def test_a_graph_kernel_that_is_the_whole_plan_is_called_without_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[int] = []
    run = BoundSteps.run

    def noted(self: BoundSteps, buffers: list[Any]) -> None:
        ran.append(1)
        run(self, buffers)

    monkeypatch.setattr(BoundSteps, "run", noted)
    request = built(Binding(ToldElsewhere), 4)
    request.infer([floats(4)])
    assert not ran
    with recording(Silent()):
        request.infer([floats(4)])
    assert ran


class Silent:
    """Notes nothing."""

    def begin(self, kind: SpanKind, name: str, kernel: Kernel | None) -> None:
        """A span begins."""

    def end(self) -> None:
        """It ends."""

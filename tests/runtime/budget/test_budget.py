"""What would take too much is one error that names node and size, before anything is allocated."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ArraySpec

from lite_delegate import Context, LimitError, Model, Tensor
from lite_delegate.ir import DataType, Graph, Node, Value, constant, make_primitive
from lite_delegate.runtime.budget import Budget, KernelWork, at_hand, bytes_at_hand, shown_bytes, work_of
from lite_delegate.runtime.execution.random_inputs import random_array
from lite_delegate.testing.delegates import NamedDelegate
from tests.commands import invoke
from tests.runtime.control_graphs import add, while_loop

HUGE = (1 << 20, 1 << 20, 4)
MEBIBYTE = 1 << 20


def value(name: str, shape: tuple[int, ...] | None, dtype: DataType = DataType.FLOAT32) -> Value:
    return Value(name, dtype, shape)


def chain(*shapes: tuple[int, ...]) -> Graph:
    """x (1, 1, 1), broadcast to one shape after the other."""
    values = [value("x", (1, 1, 1)), *(value(f"y{i}", s) for i, s in enumerate(shapes))]
    nodes = [
        Node(f"wider{i}", make_primitive("BroadcastTo", shape=list(s)), [a], [b])
        for i, (s, a, b) in enumerate(zip(shapes, values, values[1:], strict=False))
    ]
    return Graph("main", values[:1], values[-1:], nodes)


def filling() -> Graph:
    """Ones of a shape that is an input."""
    shape, y = value("shape", (3,), DataType.INT32), value("y", (-1, -1, -1))
    fill = Node("ones", make_primitive("Fill"), [constant("one", np.array(1, np.float32)), shape], [y])
    return Graph("main", [shape], [y], [fill])


def built(graph: Graph, **settings: Any) -> Model:
    context, model = Context(), Model()
    for name, setting in settings.items():
        setattr(context, name, setting)
    model.build_from_graph(graph, context)
    return model


@pytest.mark.shows("context", "MEMORY_LIMIT")
def test_a_plan_that_does_not_fit_is_rejected_before_anything_is_allocated() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(LimitError, match=r"Node 'wider0' \(BroadcastTo\): its outputs would take 16.0 TiB"):
            built(chain(HUGE))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 * MEBIBYTE


def test_tensors_that_are_needed_at_once_are_added_up() -> None:
    """10 MiB and 10 MiB at once, as the second is made of the first; the third is made when the first is gone."""
    size = 10 * MEBIBYTE // 4
    graph = chain((1, 1, size), (1, 1, size), (1, 1, size))
    with pytest.raises(LimitError, match=r"'wider1' .* all tensors that are needed while it runs would take 20.0 MiB"):
        built(graph, memory_limit=20 * MEBIBYTE - 1)
    built(graph, memory_limit=20 * MEBIBYTE)


def test_what_only_a_prediction_knows_is_asked_then() -> None:
    model = built(filling(), memory_limit=MEBIBYTE)
    (y,) = model.predict([np.array([2, 3, 4], np.int32)])
    assert y.shape == [2, 3, 4]
    with pytest.raises(LimitError, match=r"Node 'ones' \(Fill\): its outputs would take 4.0 TiB of memory, more than"):
        model.predict([np.array([1 << 20, 1 << 10, 1 << 10], np.int32)])
    (y,) = model.predict([np.array([1, 1, 5], np.int32)])
    assert y.shape == [1, 1, 5]


def test_the_values_count_each_time_where_sizes_follow_from_them() -> None:
    """The inputs' shapes are the same both times."""
    model = built(filling())
    model.predict([np.array([1, 1, 1], np.int32)])
    with pytest.raises(LimitError, match=r"would take 4\.0 EiB"):
        model.predict([np.array([1 << 20, 1 << 20, 1 << 20], np.int32)])


def test_a_limit_that_was_set_counts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite_delegate.runtime.budget.budget.bytes_at_hand", lambda: 100 * MEBIBYTE)
    graph = chain((1, 1, 200 * MEBIBYTE // 4))
    with pytest.raises(LimitError, match=r"more than the 100\.0 MiB at hand"):
        built(graph)
    built(graph, memory_limit=300 * MEBIBYTE)


def test_a_report_of_what_does_not_fit_can_be_made() -> None:
    model = built(chain(HUGE), plan_only=True)
    assert model.get_outputs()[0].shape == list(HUGE)


def test_a_delegate_is_not_asked_to_build_what_does_not_fit() -> None:
    delegate, context, model = NamedDelegate(), Context(), Model()
    context.set_delegate(delegate)
    with pytest.raises(LimitError, match="wider0"):
        model.build_from_graph(chain(HUGE), context)
    assert delegate.made == []


def test_a_resize_to_what_does_not_fit_leaves_the_model_as_it_was() -> None:
    x, y = value("x", (1, 4)), value("y", (1, 4))
    model = built(Graph("main", [x], [y], [Node("abs", make_primitive("Abs"), [x], [y])]))
    with pytest.raises(LimitError, match=r"Node 'abs' \(Abs\)"):
        model.resize(model.get_inputs(), [[1 << 40, 4]])
    assert model.get_inputs()[0].shape == [1, 4]
    model.predict([np.zeros((1, 4), np.float32)])


def test_random_inputs_are_asked_for_first() -> None:
    tensor = Tensor.describe("x", DataType.FLOAT32, (1 << 30, 1 << 10))
    with pytest.raises(LimitError, match=r"Random contents of input 'x' .* would take 12.0 TiB"):
        random_array(tensor, np.random.default_rng(0))


@pytest.mark.shows("context", "STEP_LIMIT")
def test_a_loop_with_too_many_rounds_is_ended() -> None:
    """Each round calls the condition and the body."""
    model, x = built(while_loop(lambda i, x: [add("more", x, 1)]), step_limit=500), np.zeros(4, np.float32)
    with pytest.raises(LimitError, match=r"\(Call\): the loops of the model make more than 500 calls"):
        model.predict([np.array(1_000_000_000, np.int32), x])
    (y,) = model.predict([np.array(200, np.int32), x])
    np.testing.assert_array_equal(y.data, x + 200)


def pool(kernel: int, pad: int) -> Graph:
    x, y = value("x", (1, 4, 4, 1)), value("y", (1, 1, 1, 1))
    attributes: dict[str, Any] = {"kernel_size": (kernel, kernel), "strides": (kernel, kernel), "pad": (pad,) * 4}
    return Graph("main", [x], [y], [Node("pool", make_primitive("MaxPoolFusion", **attributes), [x], [y])])


def test_a_kernel_that_would_take_for_ever_is_not_begun() -> None:
    """One window of 10^12 elements, nearly all of them padding."""
    with pytest.raises(LimitError, match=r"Node 'pool' \(MaxPoolFusion\): its outputs would take 3\.6 TiB"):
        built(pool(1_000_000, 499_998))
    with pytest.raises(LimitError, match=r"Node 'pool' \(MaxPoolFusion\) would take 120 steps of a million terms"):
        built(pool(10_000, 4_998), step_limit=50)
    built(pool(10_000, 4_998), step_limit=200)


def test_work_is_counted_as_by_hand() -> None:
    def spec(*shape: int) -> ArraySpec:
        return ArraySpec(np.dtype(np.float32), shape)

    x, weight, y = spec(2, 8, 8, 3), spec(5, 3, 3, 3), spec(2, 8, 8, 5)
    padded = work_of("Conv2DFusion", [x, weight], [y], {"stride": (1, 1), "dilation": (1, 1)})
    assert padded == KernelWork(2 * 10 * 10 * 3 * 4, 2 * 8 * 8 * 5 * 27)
    assert work_of("Conv2DFusion", [x, weight], [spec(2, 6, 6, 5)], {}) == KernelWork(0, 2 * 6 * 6 * 5 * 27)
    assert work_of("MatMulFusion", [spec(7, 3), spec(7, 4)], [spec(3, 4)], {"transpose_a": True}) == KernelWork(
        0, 3 * 4 * 7
    )
    assert work_of("MatMulFusion", [spec(-1, 3), spec(7, 4)], [spec(3, 4)], {}) == KernelWork()
    assert work_of("Abs", [x], [x], {}) == KernelWork()


def test_sizes_in_words() -> None:
    assert [shown_bytes(n) for n in (3, 1536, 12 << 30, 1 << 75)] == ["3 bytes", "1.5 KiB", "12.0 GiB", "32,768.0 EiB"]


def test_the_memory_at_hand_is_the_least_of_what_the_system_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    texts = {
        "/proc/meminfo": "MemTotal:  999 kB\nMemAvailable:     5000 kB\n",
        "/proc/self/status": "VmSize:\t 1000 kB\nVmData:\t 10 kB\n",
    }
    monkeypatch.setattr(at_hand, "_text", lambda path: texts.get(str(path), ""))
    monkeypatch.setattr("resource.getrlimit", lambda which: (-1, -1))
    assert bytes_at_hand() == 5000 << 10
    texts |= {
        "/sys/fs/cgroup/memory.max": "4096000\n",
        "/sys/fs/cgroup/memory.current": "2048000\n",
        "/sys/fs/cgroup/memory.stat": "anon 5\ninactive_file 1000\n",
    }
    assert bytes_at_hand() == 4096000 - 2048000 + 1000
    monkeypatch.setattr("resource.getrlimit", lambda which: ((1000 << 10) + 77, -1))
    assert bytes_at_hand() == 77
    texts.clear()
    monkeypatch.setattr("resource.getrlimit", lambda which: (-1, -1))
    assert bytes_at_hand() is None
    Budget().check("anything", 1 << 80)


def test_here_some_memory_is_at_hand() -> None:
    assert (bytes_at_hand() or MEBIBYTE) >= MEBIBYTE


@pytest.mark.parametrize("name", ["memory_limit", "step_limit"])
def test_limits_are_checked(name: str) -> None:
    context = Context()
    for wrong, kind in ((0, ValueError), (True, TypeError), ("1G", TypeError)):
        with pytest.raises(kind, match=name):
            setattr(context, name, wrong)


def test_the_command_line_takes_limits(tmp_path: Path) -> None:
    from lite_delegate.formats.ms import write_ms

    path = tmp_path / "model.ms"
    write_ms(chain((1, 1, MEBIBYTE)), path)
    result = invoke("run", path, "--memory-limit", "1M")
    assert result.exit_code == 2
    assert "Node 'wider0' (BroadcastTo): its outputs would take 4.0 MiB" in result.stderr
    assert invoke("run", path, "--memory-limit", "5M").exit_code == 0
    for wrong in ("5X", "", "M", "0", "-1", "5MM"):
        result = invoke("run", path, "--memory-limit", wrong)
        assert (result.exit_code, "--memory-limit must be" in result.stderr) == (2, True)
    assert invoke("run", path, "--step-limit", "0").exit_code == 2


def test_inputs_of_a_node_that_is_asked_late_count_beside_its_outputs() -> None:
    """12 MiB of ones, and 12 MiB of copies: each is below the limit, both together are not."""
    graph = filling()
    many, z = value("many", (3,), DataType.INT32), value("z", (-1, -1, -1))
    graph.nodes.append(Node("copies", make_primitive("TileFusion"), [graph.outputs[0], many], [z]))
    graph.inputs.append(many)
    graph.outputs[:] = [z]
    shape, once = np.array([12, 512, 512], np.int32), np.ones(3, np.int32)
    limits = {"enough": 25 * MEBIBYTE, "too little": 23 * MEBIBYTE}
    built(graph, memory_limit=limits["enough"]).predict([shape, once])
    model = built(graph, memory_limit=limits["too little"])
    with pytest.raises(LimitError, match=r"'copies' \(TileFusion\): its inputs and outputs would take 24.0 MiB"):
        model.predict([shape, once])

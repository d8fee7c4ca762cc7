"""States take device memory of requests, which the device counts as that."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite_delegate import Context, DelegateBuildError, Model, make_stateful
from lite_delegate.ir import DataType, Graph, Node, Value, constant, make_primitive
from lite_delegate.npu import NPUDelegate
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.graphs import binary

UNITS = 100
STATE = 2 * 256  # float16: 200 bytes in whole blocks of 64, once for what goes in and once for what comes out
REQUEST = 2 * 64  # one number in, one number out


def summing() -> Graph:
    """after = x + before; y = the sum of it; before and after are a state."""
    x, before = Value("x", DataType.FLOAT32, (1, 1)), Value("before", DataType.FLOAT32, (1, UNITS))
    after, y = Value("after", DataType.FLOAT32, (1, UNITS)), Value("y", DataType.FLOAT32, (1, 1))
    add = Node("add", make_primitive("AddFusion"), [x, before], [after])
    ones = constant("ones", np.ones((UNITS, 1), np.float32))
    product = Node("sum", make_primitive("MatMulFusion"), [after, ones], [y])
    return make_stateful(Graph("main", [x, before], [y, after], [add, product]), {"before": "after"})


def on_npu(graph: Graph | Path) -> tuple[NPUDelegate, Model]:
    delegate, context, model = NPUDelegate(), Context(), Model()
    context.set_delegate(delegate)
    if isinstance(graph, Path):
        model.build_from_file(graph, context=context)
    else:
        model.build_from_graph(graph, context)
    return delegate, model


@pytest.mark.parametrize("imported", [False, True])
def test_states_are_counted_beside_the_other_memory_of_a_request(tmp_path: Path, imported: bool) -> None:
    delegate, model = on_npu(summing())
    if imported:
        model.export(tmp_path / "model.ldm")
        model.close()
        delegate, model = on_npu(tmp_path / "model.ldm")
    before = delegate.device.memory_by()
    assert set(before) == {"program"}
    one, two = model.create_request(), model.create_request()
    assert delegate.device.memory_by() == {**before, "request": 2 * REQUEST, "state": 2 * STATE}
    x = np.ones((1, 1), np.float32)
    assert [one.infer([x])[0].item() for _ in range(3)] == [100, 200, 300]
    assert delegate.device.telemetry().memory == {**before, "request": 2 * REQUEST, "state": 2 * STATE}
    del two
    assert delegate.device.memory_by() == {**before, "request": REQUEST, "state": STATE}
    del one
    assert delegate.device.memory_by() == before


def test_a_device_without_room_for_a_state_keeps_nothing_of_the_request() -> None:
    delegate, model = on_npu(summing())
    taken = delegate.device.allocated_memory
    delegate.device.memory = type(delegate.device.memory)(dram=taken + REQUEST + STATE - 1)
    with pytest.raises(DelegateBuildError, match=rf"The state needs {STATE:,} bytes of device memory, {STATE - 1:,} "):
        model.create_request()
    assert delegate.device.memory_by() == {"program": taken}


def test_graph_kernels_of_any_delegate_are_told_which_tensors_are_states() -> None:
    delegate, context, model = NamedDelegate(), Context(), Model()
    context.set_delegate(delegate)
    model.build_from_graph(summing(), context)
    (kernel,) = model.get_graph_kernels()
    named = {t.name: t in kernel.states for t in (*kernel.inputs, *kernel.outputs)}
    assert {name for name, is_state in named.items() if is_state} == {"before", "after"}
    assert {name for name, is_state in named.items() if not is_state} >= {"x", "y"}
    plain = Model()
    a, b = (Value(name, DataType.FLOAT32, (2,)) for name in "ab")
    node = binary("sum", a, b)
    plain.build_from_graph(Graph("main", [a, b], list(node.outputs), [node]), context)
    assert [kernel.states for kernel in plain.get_graph_kernels()] == [frozenset()]

"""The parts of a run that no tensor connects."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.compiler.parts import connected_parts
from lite_delegate.tensors.tensor import Tensor
from tests.npu.graphs import HostKernel, const, model_of, node, out, variable

SHAPE = (2, 3)


def named(name: str, *inputs: Tensor) -> HostKernel:
    kernel = node("AddFusion" if len(inputs) > 1 else "Neg", inputs, SHAPE)
    kernel.name = name
    out(kernel).name = f"{name}:0"
    return kernel


def parts_of(kernels: list[HostKernel], *outputs: Tensor) -> list[list[str]]:
    return [[k.name for k in part.kernels] for part in connected_parts(kernels, boundary(kernels, *outputs))]


def boundary(kernels: list[HostKernel], *outputs: Tensor):
    return model_of(kernels, outputs).boundary_of(kernels)


def test_a_chain_is_one_part_with_the_boundary_of_the_run():
    a = named("a", variable("x", SHAPE))
    b = named("b", out(a))
    whole = boundary([a, b], out(b))
    (part,) = connected_parts([a, b], whole)
    assert part.kernels == (a, b)
    assert part.boundary == whole


def test_interleaved_chains_are_parts_in_the_order_of_their_first_kernels():
    x, y = variable("x", SHAPE), variable("y", SHAPE)
    a, b = named("a", x), named("b", y)
    c, d = named("c", out(a)), named("d", out(b))
    assert parts_of([a, b, c, d], out(d), out(c)) == [["a", "c"], ["b", "d"]]
    assert parts_of([b, a, c, d], out(d), out(c)) == [["b", "d"], ["a", "c"]]


def test_boundary_inputs_and_constants_connect_nothing():
    x, c = variable("x", SHAPE), const("c", np.ones(SHAPE, np.float32))
    a, b = named("a", x, c), named("b", x, c)
    parts = connected_parts([a, b], boundary([a, b], out(a), out(b)))
    assert [p.kernels for p in parts] == [(a,), (b,)]
    for part, kernel in zip(parts, (a, b), strict=True):
        assert part.boundary.inputs == (x,)
        assert part.boundary.constants == (c,)
        assert part.boundary.outputs == (out(kernel),)


def test_two_branches_that_meet_are_one_part():
    a, b = named("a", variable("x", SHAPE)), named("b", variable("y", SHAPE))
    c, d = named("c", variable("z", SHAPE)), named("d", out(a), out(b))
    assert parts_of([a, b, c, d], out(c), out(d)) == [["a", "b", "d"], ["c"]]


def test_kernels_that_read_the_same_made_tensor_are_one_part():
    a = named("a", variable("x", SHAPE))
    b, c = named("b", out(a)), named("c", out(a))
    assert parts_of([a, b, c], out(b), out(c)) == [["a", "b", "c"]]


def test_boundaries_keep_the_order_of_the_run():
    x, y, z = (variable(name, SHAPE) for name in "xyz")
    first, other, last = named("first", x, z), named("other", y), named("last", z, x)
    join = named("join", out(first), out(last))
    run = [first, other, last, join]
    whole = boundary(run, out(join), out(other), out(last))
    parts = connected_parts(run, whole)
    assert parts[0].boundary.inputs == (x, z)
    assert parts[0].boundary.outputs == tuple(t for t in whole.outputs if t is not out(other))
    assert parts[1].boundary.inputs == (y,)


def test_what_gives_nothing_is_left_out():
    a, b = named("a", variable("x", SHAPE)), named("b", variable("y", SHAPE))
    assert parts_of([a, b], out(a)) == [["a"]]


@given(st.lists(st.lists(st.integers(0, 30), max_size=2), min_size=1, max_size=25))
def test_parts_are_the_classes_of_who_can_reach_whom(reads: list[list[int]]):
    """Expected: rows of the reachability matrix, which is the adjacency matrix squared until it stays the same."""
    kernels: list[HostKernel] = []
    reach = np.eye(len(reads), dtype=bool)
    for i, numbers in enumerate(reads):
        earlier = [n for n in numbers if n < i]
        reach[i, earlier] = reach[earlier, i] = True
        made = [out(kernels[n]) for n in earlier]
        kernels.append(named(f"k{i}", *(made or [variable(f"x{i}", SHAPE)])))
    for _ in range(5):  # 2**5 is more than any path is long
        reach = reach @ reach
    expected = sorted({tuple(sorted(f"k{j}" for j in np.flatnonzero(row))) for row in reach})
    assert sorted(tuple(sorted(names)) for names in parts_of(kernels, *map(out, kernels))) == expected


def test_a_long_chain_joined_from_behind_takes_no_recursion():
    heads = [named(f"h{i}", variable(f"x{i}", SHAPE)) for i in range(1500)]
    last, joins = out(heads[-1]), []
    for i, head in enumerate(reversed(heads[:-1])):
        joins.append(named(f"j{i}", last, out(head)))
        last = out(joins[-1])
    assert len(parts_of([*heads, *joins], last)) == 1


@pytest.mark.parametrize("swap", [False, True])
def test_a_kernel_of_constants_alone_is_a_part(swap: bool):
    a, b = named("a", variable("x", SHAPE)), named("b", const("c", np.ones(SHAPE, np.float32)))
    run = [b, a] if swap else [a, b]
    assert parts_of(run, out(a), out(b)) == [[k.name] for k in run]

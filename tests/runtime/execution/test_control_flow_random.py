"""Random programs of nested branches and loops, as subgraphs and as plain Python, with random claims."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from lite_delegate_kernels import Array

from lite_delegate import Kernel, Rejected, Supported
from lite_delegate.ir import Graph, Node, Value, constant
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.control_graphs import (
    BOOL,
    F32,
    I32,
    add,
    binary,
    built,
    call,
    multiply,
    node,
    out,
    partial,
    predict,
    scalar,
    switch,
    values,
)


@dataclass(frozen=True)
class Step:
    """x = x + number, or x * number, or v = v + x, or x = x + v."""

    op: str
    number: int


@dataclass(frozen=True)
class Branch:
    """One block if the first element of x is below ``bound``, the other otherwise."""

    bound: int
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class Loop:
    """A block several times."""

    count: int
    block: tuple[Statement, ...]


Statement = Step | Branch | Loop

STEPS = st.builds(Step, st.sampled_from(["add", "multiply", "remember", "recall"]), st.integers(-2, 2))


def blocks(inner: st.SearchStrategy[Statement]) -> st.SearchStrategy[tuple[Statement, ...]]:
    return st.lists(inner, max_size=3).map(tuple)


PROGRAMS = blocks(
    st.recursive(
        STEPS,
        lambda inner: st.one_of(
            st.builds(Branch, st.integers(-3, 3), blocks(inner), blocks(inner)),
            st.builds(Loop, st.integers(0, 3), blocks(inner)),
        ),
        max_leaves=8,
    )
)


def interpreted(program: tuple[Statement, ...], x: Array, memory: list[Array]) -> Array:
    for each in program:
        match each:
            case Step("add", number):
                x = x + np.float32(number)
            case Step("multiply", number):
                x = x * np.float32(number)
            case Step("remember", _):
                memory[0] = memory[0] + x
            case Step(_, _):
                x = x + memory[0]
            case Branch(bound, then, otherwise):
                x = interpreted(then if x[0] < bound else otherwise, x, memory)
            case Loop(count, block):
                for _ in range(count):
                    x = interpreted(block, x, memory)
    return x


class Compiler:
    """Writes a program as a main graph and subgraphs over one variable."""

    def __init__(self) -> None:
        self.memory = constant("memory", np.zeros(2, np.float32))
        self.subgraphs: list[Graph] = []
        self.count = 0

    def compile(self, program: tuple[Statement, ...]) -> Graph:
        x = Value("x", F32, (2,))
        nodes, y = self.block(program, x)
        last = multiply("last", y, 1)
        total = add("total", self.memory, 0)
        return Graph("main", [x], [out(last), out(total)], [*nodes, last, total], self.subgraphs)

    def name(self, base: str) -> str:
        self.count += 1
        return f"{base}{self.count}"

    def block(self, program: tuple[Statement, ...], x: Value) -> tuple[list[Node], Value]:
        """The nodes of a block, and what x is after it."""
        nodes: list[Node] = []
        for each in program:
            match each:
                case Step():
                    nodes.append(self.step(each, x))
                    x = x if each.op == "remember" else out(nodes[-1])
                case Branch():
                    nodes += self.branch(each, x)
                    x = out(nodes[-1])
                case Loop():
                    nodes += self.loop(each, x)
                    x = out(nodes[-1])
        return nodes, x

    def step(self, step: Step, x: Value) -> Node:
        name = self.name(step.op)
        if step.op == "remember":
            return node(name, "AssignAdd", [self.memory, x])
        if step.op == "recall":
            return binary(name, "AddFusion", x, self.memory)
        return (add if step.op == "add" else multiply)(name, x, step.number)

    def reserve(self) -> int:
        """The index of a subgraph that is written later."""
        self.subgraphs.append(Graph("", [], [], []))
        return len(self.subgraphs)

    def write(self, index: int, name: str, inputs: list[Value], outputs: list[Value], nodes: list[Node]) -> None:
        self.subgraphs[index - 1] = Graph(name, inputs, outputs, nodes)

    def branch(self, branch: Branch, x: Value) -> list[Node]:
        sides = []
        for block in (branch.then, branch.otherwise):
            index, name = self.reserve(), self.name("side")
            (inner,) = values(name, ("x", F32, (2,)))
            nodes, result = self.block(block, inner)
            self.write(index, name, [inner], [result], nodes)
            sides.append(partial(self.name("partial"), index, x))
        test = self.below(x, branch.bound)
        choose = switch(self.name("choose"), out(test[-1]), *(out(side) for side in sides))
        return [*test, *sides, choose, call(self.name("call"), out(choose), Value("branch.y", F32, None))]

    def below(self, x: Value, bound: int) -> list[Node]:
        first = node(self.name("first"), "Gather", [x, scalar("index", 0), scalar("axis", 0)])
        limit = constant("bound", np.array(bound, np.float32))
        return [first, binary(self.name("below"), "Less", out(first), limit, BOOL)]

    def loop(self, loop: Loop, x: Value) -> list[Node]:
        condition, body, end = self.reserve(), self.reserve(), self.reserve()
        name = self.name("loop")
        i, inner = values(f"{name}.condition", ("i", I32, ()), ("x", F32, (2,)))
        less = binary(self.name("less"), "Less", i, scalar("count", loop.count), BOOL)
        go, stop = partial(self.name("go"), body, i, inner), partial(self.name("stop"), end, inner)
        choose, y = switch(self.name("choose"), out(less), out(go), out(stop)), Value("condition.y", F32, None)
        run = call(self.name("run"), out(choose), y)
        self.write(condition, f"{name}.condition", [i, inner], [y], [less, go, stop, choose, run])

        i, inner = values(f"{name}.body", ("i", I32, ()), ("x", F32, (2,)))
        nodes, result = self.block(loop.block, inner)
        later = binary(self.name("later"), "AddFusion", i, scalar("one", 1), I32)
        again, y = partial(self.name("again"), condition, out(later), result), Value("body.y", F32, None)
        nodes += [later, again, call(self.name("next"), out(again), y)]
        self.write(body, f"{name}.body", [i, inner], [y], nodes)

        (inner,) = values(f"{name}.end", ("x", F32, (2,)))
        self.write(end, f"{name}.end", [inner], [inner], [])
        start = partial(self.name("start"), condition, scalar("zero", 0), x)
        return [start, call(self.name("call"), out(start), Value(f"{name}.y", F32, None))]


class ByNumber(NamedDelegate):
    """Claims the kernels whose names hash to one of the chosen remainders; the same in every run of the test."""

    def __init__(self, remainders: set[int]) -> None:
        super().__init__(None)
        self.remainders = remainders

    def supports(self, kernel: Kernel) -> Supported | Rejected | None:
        self.names = [kernel.name] if sum(kernel.name.encode()) % 4 in self.remainders else []
        return super().supports(kernel)


@given(PROGRAMS, st.sets(st.integers(0, 3)), st.lists(st.integers(-4, 4), min_size=2, max_size=2))
@settings(max_examples=150, deadline=None)
def test_random_programs(program: tuple[Statement, ...], remainders: set[int], start: list[int]) -> None:
    x = np.array(start, np.float32)
    memory = [np.zeros(2, np.float32)]
    expected = interpreted(program, x, memory)
    graph = Compiler().compile(program)
    for delegate in (None, ByNumber(remainders)):
        model = built(graph, delegate)
        for _ in range(2):
            y, total = predict(model, x=x)
            np.testing.assert_array_equal(y, expected)
            np.testing.assert_array_equal(total, memory[0])

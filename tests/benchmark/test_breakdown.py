from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.benchmark import TimePart
from lite_delegate.benchmark.breakdown import break_down
from lite_delegate.benchmark.recorder import ROOT, Span
from lite_delegate.delegate import SpanKind
from tests.benchmark.fakes import inner, root

K = SpanKind


def parts(*spans: Span) -> dict[TimePart, int]:
    return {part: ns for part, ns in break_down(spans).parts.items() if ns}


def test_what_no_span_covers_is_unexplained() -> None:
    assert parts(root(100, 175)) == {TimePart.UNEXPLAINED: 75}


def test_a_cpu_kernel_in_the_run_loop() -> None:
    spans = (root(0, 100), inner(K.HOST, 10, 90, name="dispatch"), inner(K.CPU_KERNEL, 20, 70, parent=1, name="conv"))
    assert parts(*spans) == {TimePart.UNEXPLAINED: 20, TimePart.HOST: 30, TimePart.CPU_KERNELS: 50}
    found = break_down(spans)
    assert found.host == {"dispatch": 30}
    assert [(c.span.name, c.parts) for c in found.calls] == [("conv", {TimePart.CPU_KERNELS: 50})]


def test_a_graph_kernel_that_reports_nothing_computes() -> None:
    assert parts(root(0, 10), inner(K.GRAPH_KERNEL, 2, 9)) == {TimePart.UNEXPLAINED: 3, TimePart.COMPUTE: 7}


def test_a_graph_kernel_that_reports_something_has_to_explain_the_rest() -> None:
    spans = (
        root(0, 100),
        inner(K.GRAPH_KERNEL, 0, 100, name="g"),
        inner(K.PACK, 10, 20, parent=1),
        inner(K.ENQUEUE, 20, 25, parent=1),
        inner(K.COMPUTE, 30, 80, parent=1),
        inner(K.PACK, 40, 45, parent=4),
        inner(K.UNPACK, 80, 99, parent=1),
    )
    expected = {
        TimePart.PACK: 15,
        TimePart.ENQUEUE: 5,
        TimePart.COMPUTE: 45,
        TimePart.UNPACK: 19,
        TimePart.UNEXPLAINED: 16,
    }
    assert parts(*spans) == expected
    (call,) = break_down(spans).calls
    assert +call.parts == expected


def test_a_model_inside_a_graph_kernel_computes_and_one_inside_a_cpu_kernel_is_the_cpu_kernels() -> None:
    nested = (inner(K.HOST, 20, 80, parent=1), inner(K.CPU_KERNEL, 30, 60, parent=2, name="theirs"))
    spans = (root(0, 100), inner(K.GRAPH_KERNEL, 10, 90), *nested)
    assert parts(*spans) == {TimePart.COMPUTE: 60, TimePart.UNEXPLAINED: 40}
    assert [call.span.kind for call in break_down(spans).calls] == [K.GRAPH_KERNEL]
    spans = (root(0, 100), inner(K.CPU_KERNEL, 10, 90), *nested)
    assert parts(*spans) == {TimePart.CPU_KERNELS: 80, TimePart.UNEXPLAINED: 20}


def test_recording_is_a_part_of_its_own_and_of_the_kernel_that_it_is_in() -> None:
    spans = (
        root(0, 100),
        inner(K.GRAPH_KERNEL, 10, 90, recording=4),
        inner(K.COMPUTE, 20, 80, parent=1, recording=3),
    )
    assert parts(*spans) == {TimePart.UNEXPLAINED: 16 + 17, TimePart.COMPUTE: 60, TimePart.RECORDING: 7}
    (call,) = break_down(spans).calls
    assert +call.parts == {TimePart.UNEXPLAINED: 17, TimePart.COMPUTE: 60, TimePart.RECORDING: 3}


@dataclass
class Tree:
    """A span: nanoseconds of its own before each child and after the last, and the children."""

    kind: SpanKind
    own: list[int]
    recording: int
    children: list[Tree]


def trees(kinds: list[SpanKind]) -> st.SearchStrategy[Tree]:
    times = st.integers(0, 1000)

    def branch(children: st.SearchStrategy[list[Tree]]) -> st.SearchStrategy[Tree]:
        return children.flatmap(
            lambda found: st.builds(
                Tree,
                st.sampled_from(kinds),
                st.lists(times, min_size=len(found) + 1, max_size=len(found) + 1),
                times,
                st.just(found),
            )
        )

    return st.recursive(branch(st.just([])), lambda below: branch(st.lists(below, max_size=4)), max_leaves=12)


def lay_out(tree: Tree, start: int, parent: int, into: list[Span]) -> int:
    """Appends the spans of a tree; gives the end of the tree with its recording. Half of that comes before it."""
    before = tree.recording // 2
    position = len(into)
    now = start + before
    into.append(inner(tree.kind, now, now, parent))
    for own, child in zip(tree.own, tree.children, strict=False):
        now = lay_out(child, now + own, position, into)
    now += tree.own[-1]
    into[position] = inner(tree.kind, start + before, now, parent, recording=tree.recording)
    return now + tree.recording - before


def expected(tree: Tree, owner: SpanKind | None, found: Counter[TimePart]) -> Counter[TimePart]:
    """The same by walking the tree, by the rules as the documentation has them."""
    words = {"pack": TimePart.PACK, "enqueue": TimePart.ENQUEUE, "compute": TimePart.COMPUTE, "unpack": TimePart.UNPACK}
    own = sum(tree.own)
    if owner is K.CPU_KERNEL or (owner is None and tree.kind is K.CPU_KERNEL):
        found[TimePart.CPU_KERNELS] += own
    elif tree.kind.value in words:
        found[words[tree.kind.value]] += own
    elif owner is K.GRAPH_KERNEL:
        found[TimePart.COMPUTE] += own
    elif tree.kind is K.GRAPH_KERNEL:
        found[TimePart.UNEXPLAINED if tree.children else TimePart.COMPUTE] += own
    else:
        found[TimePart.UNEXPLAINED if tree.kind is K.PREDICTION else TimePart.HOST] += own
    inside = owner or (tree.kind if tree.kind in (K.CPU_KERNEL, K.GRAPH_KERNEL) else None)
    for child in tree.children:
        found[TimePart.RECORDING] += child.recording
        expected(child, inside, found)
    return found


@given(st.lists(trees([k for k in SpanKind if k is not K.PREDICTION]), max_size=4), st.integers(0, 50))
def test_parts_add_up_to_the_wall_time_whatever_is_reported(children: list[Tree], own: int) -> None:
    whole = Tree(K.PREDICTION, [own] * (len(children) + 1), 0, children)
    spans: list[Span] = []
    end = lay_out(whole, 500, ROOT, spans)
    found = break_down(spans)
    assert found.wall == end - 500 == sum(found.parts.values())
    assert +found.parts == +expected(whole, None, Counter())
    assert sum(found.host.values()) == found.parts[TimePart.HOST]
    for call in found.calls:
        assert sum(call.parts.values()) == call.span.duration

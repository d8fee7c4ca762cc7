"""Sequences and optionals whose items are known, against ONNX Runtime."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from lite_delegate.errors import UnsupportedOperatorError
from tests.formats.onnx.comparing import Array, check, imported, parsed

A, B = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(6, 12, dtype=np.float32).reshape(2, 3)
MAKE = "s = SequenceConstruct(a, b, a)"


def against_onnx_runtime(body: str, out: str) -> None:
    constants = {f"p{n}".replace("-", "m"): np.array(n, np.int64) for n in range(-3, 4)}
    model = parsed(f"g (float[2,3] a, float[2,3] b) => ({out}) {{ {body} }}", 21, constants)
    given: dict[str, Array] = {"a": A, "b": B}
    check(model, given)


@pytest.mark.parametrize("place", ["pm3", "pm1", "p0", "p1", "p2"])
def test_an_item(place: str) -> None:
    against_onnx_runtime(f"{MAKE} y = SequenceAt(s, {place})", "float[2,3] y")


def test_an_item_at_a_place_that_is_an_input() -> None:
    model = parsed(f"g (float[2,3] a, float[2,3] b, int64 i) => (float[2,3] y) {{ {MAKE} y = SequenceAt(s, i) }}")
    for i, wanted in ((1, B), (-1, A)):
        check(model, {"a": A, "b": B, "i": np.array(i)}, [wanted])


@pytest.mark.parametrize("place", ["", ", pm3", ", pm1", ", p0", ", p3"])
def test_inserting(place: str) -> None:
    body = f"{MAKE} c = Neg(a) t = SequenceInsert(s, c{place}) y = ConcatFromSequence<axis=0>(t) n = SequenceLength(t)"
    against_onnx_runtime(body, "float[8,3] y, int64 n")


@pytest.mark.parametrize("place", ["", ", pm3", ", pm1", ", p0", ", p2"])
def test_erasing(place: str) -> None:
    body = f"{MAKE} t = SequenceErase(s{place}) y = ConcatFromSequence<axis=0>(t) n = SequenceLength(t)"
    against_onnx_runtime(body, "float[4,3] y, int64 n")


@pytest.mark.parametrize(("axis", "new"), [(0, 0), (1, 0), (-1, 0), (0, 1), (2, 1), (-1, 1)])
def test_joining(axis: int, new: int) -> None:
    against_onnx_runtime(
        f"{MAKE} y = ConcatFromSequence<axis={axis}, new_axis={new}>(s)",
        "float[K,L] y" if not new else "float[K,L,M] y",
    )


def test_growing_from_nothing() -> None:
    body = "e = SequenceEmpty() s = SequenceInsert(e, a) t = SequenceInsert(s, b, p0) y = ConcatFromSequence<axis=0>(t)"
    against_onnx_runtime(body, "float[4,3] y")


@pytest.mark.parametrize(
    ("split", "keepdims", "expected"),
    [
        (None, 1, [A[:, :1], A[:, 1:2], A[:, 2:]]),
        (None, 0, [A[:, 0], A[:, 1], A[:, 2]]),
        (np.array(2), 1, [A[:, :2], A[:, 2:]]),
        (np.array(2), 0, [A[:, :2], A[:, 2:]]),
        (np.array([1, 2]), 1, [A[:, :1], A[:, 1:]]),
    ],
)
def test_splitting(split: Array | None, keepdims: int, expected: list[Array]) -> None:
    items = " ".join(
        f"i{k} = Constant<value = int64 {{{k}}}>() y{k} = SequenceAt(s, i{k})" for k in range(len(expected))
    )
    outs = ", ".join(f"float[{','.join('MN'[: a.ndim])}] y{k}" for k, a in enumerate(expected))
    given = "" if split is None else ", split"
    text = f"""g (float[2,3] a) => ({outs}) {{
      s = SplitToSequence<axis=1, keepdims={keepdims}>(a{given})
      {items}
    }}"""
    check(parsed(text, 21, {} if split is None else {"split": split}), {"a": A}, expected)


def test_mapping_over_items_with_a_tensor_beside_them() -> None:
    body = f"""{MAKE}
      t, u = SequenceMap <body = m (float[2,3] x, float[2,3] z) => (float[2,3] p, int64[2] q) {{
        p = Add(x, z)
        q = Shape(p)
      }}> (s, b)
      y = ConcatFromSequence<axis=0>(t)
      n = ConcatFromSequence<axis=0>(u)"""
    model = parsed(f"g (float[2,3] a, float[2,3] b) => (float[6,3] y, int64[6] n) {{ {body} }}")
    check(model, {"a": A, "b": B}, [np.concatenate([A + B, B + B, A + B]), np.array([2, 3] * 3)])


def test_a_sequence_that_a_branch_reads() -> None:
    model = parsed(
        f"""g (float[2,3] a, float[2,3] b, bool c) => (float[K,3] y) {{
          {MAKE}
          y = If (c) <
            then_branch = th () => (float[6,3] p) {{ p = ConcatFromSequence<axis=0>(s) }},
            else_branch = el () => (float[2,3] q) {{ q = SequenceAt(s, one) }}>
        }}""",
        initializers={"one": np.array(1)},
    )
    for c, wanted in ((True, np.concatenate([A, B, A])), (False, B)):
        check(model, {"a": A, "b": B, "c": np.array(c)}, [wanted])


def test_optionals() -> None:
    model = parsed(
        """g (float[2,3] a) => (float[2,3] y, bool some, bool none, bool nothing) {
          o = Optional(a)
          e = Optional<type = float[2,3]>()
          y = OptionalGetElement(o)
          some = OptionalHasElement(o)
          none = OptionalHasElement(e)
          nothing = OptionalHasElement()
        }"""
    )
    check(model, {"a": A}, [A, np.array(True), np.array(False), np.array(False)])


@pytest.mark.parametrize(
    ("body", "out", "reason"),
    [
        ("s = SequenceConstruct(a, b)", "seq(float[2,3]) s", "a sequence or an empty optional, expected a tensor"),
        (f"{MAKE} y = SequenceAt(s, p3)", "float[2,3] y", "position 3 of 3"),
        (f"{MAKE} y = SequenceAt(s, pm4)", "float[2,3] y", "position -4 of 3"),
        ("s = SequenceEmpty() t = SequenceErase(s) n = SequenceLength(t)", "int64 n", "nothing can be taken"),
        ("s = SequenceEmpty() y = ConcatFromSequence<axis=0>(s)", "float[2,3] y", "an empty sequence"),
        ("e = Optional<type = float[2,3]>() y = OptionalGetElement(e)", "float[2,3] y", "of an empty optional"),
        ("s = SplitToSequence<axis=0>(a, p0) n = SequenceLength(s)", "int64 n", "split must be > 0, found 0"),
    ],
)
def test_what_is_rejected(body: str, out: str, reason: str) -> None:
    constants = {"p3": np.array(3), "pm4": np.array(-4), "p0": np.array(0)}
    model: onnx.ModelProto = parsed(f"g (float[2,3] a, float[2,3] b) => ({out}) {{ {body} }}", 21, constants)
    with pytest.raises(UnsupportedOperatorError, match=reason):
        imported(model)


@pytest.mark.parametrize(("count", "taken"), [(1024, True), (1025, False)])
def test_the_most_items(count: int, taken: bool) -> None:
    model = parsed(f"g (float[{count}] a) => (int64 n) {{ s = SplitToSequence(a) n = SequenceLength(s) }}")
    if taken:
        assert imported(model).outputs[0].shape == ()
        return
    with pytest.raises(UnsupportedOperatorError, match="1 to 1024 parts, found 1025"):
        imported(model)

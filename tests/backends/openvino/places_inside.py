"""Places outside in loops, choices and exported models: ``python -m tests.backends.openvino.places_inside``.

A worker, as each check may end the process. It prints a line of JSON for each check: its name, and what was wrong.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Core, DelegateExecuteError, Model
from lite_delegate.backends.openvino import OpenVINODelegate
from tests.formats.onnx.comparing import imported, parsed, peer

X = np.array([1, 2, 3, 4], np.float32)
DIRECT = "g (int64[4] i, float[4] x) => (float[4] y) { y = GatherElements(x, i) }"
LOOP = """g (int64[4] i, float[4] x) => (float[4] y) {
  y = Loop (three, , x) <
    body = b (int64 n, bool go, float[4] s) => (bool again, float[4] next) {
      again = Identity(go)
      next = GatherElements<axis = 0>(s, i)
    }>
}"""
LOOP_COMPUTED = """g (int32[4] i, float[4] x) => (float[4] y) {
  y, last = Loop (three, , x, i) <
    body = b (int64 n, bool go, float[4] s, int32[4] p) => (bool again, float[4] next, int32[4] q) {
      again = Identity(go)
      next = GatherElements<axis = 0>(s, p)
      q = Add(p, p)
    }>
}"""
IF = """g (bool c, int64[4] i, float[4] x) => (float[4] y) {
  y = If (c) <
    then_branch = th () => (float[4] a) { a = GatherElements<axis = 0>(x, i) },
    else_branch = el () => (float[4] b) { b = Neg(x) }>
}"""


def whole(text: str) -> tuple[Any, Model]:
    """A source, and its model, all of which is one subgraph."""
    source = parsed(text, initializers={"three": np.array(3, np.int64)})
    context, model = Context(), Model()
    context.set_delegate(OpenVINODelegate(threads=1))
    model.build_from_graph(imported(source), context)
    (only,) = model.get_partition().subgraphs
    assert {node.subgraph for node in model.get_partition().nodes} == {only.name}
    return source, model


def given(text: str, places: Sequence[int], **more: Any) -> dict[str, Any]:
    """The inputs of a source."""
    dtype = np.int32 if text is LOOP_COMPUTED else np.int64
    return {"i": np.array(places, dtype), "x": X, **more}


def in_graphs(text: str) -> None:
    """Places that the graphs inside of a loop or a choice read."""
    source, model = whole(text)
    more = {"c": np.array(True)} if text is IF else {}
    for places in ([0, 0, 0, 4], [0, -5, 0, 0], [0, 2**30, 0, 0]):
        with pytest.raises(DelegateExecuteError, match="is out of range"):
            model.predict(given(text, places, **more))
    inside = given(text, [-1, 0, 0, 0] if text is LOOP_COMPUTED else [3, -4, 1, 2], **more)
    if text is not LOOP_COMPUTED:
        np.testing.assert_array_equal(model.predict(inside)[0].data, peer(source, inside)[0])


def in_later_rounds() -> None:
    """Places that only the third round reads outside."""
    source, model = whole(LOOP_COMPUTED)
    for places, is_inside in (([0, 0, 0, 0], True), ([0, -1, 0, 0], True), ([0, 1, 0, 0], False)):
        inputs = given(LOOP_COMPUTED, places)
        if is_inside:
            np.testing.assert_array_equal(model.predict(inputs)[0].data, peer(source, inputs)[0])
            continue
        with pytest.raises(DelegateExecuteError, match="a computed place"):
            model.predict(inputs)


def in_the_branch_that_does_not_run() -> None:
    """Places that nobody reads may be anything."""
    _, model = whole(IF)
    (y,) = model.predict(given(IF, [9, -9, 2**30, 0], c=np.array(False)))
    np.testing.assert_array_equal(y.data, -X)


def in_exported_models() -> None:
    """Compiled models keep their checks."""
    core = Core()
    compiled = core.compile_model(imported(whole(LOOP_COMPUTED)[0]), "OPENVINO")
    again = core.import_model(compiled.export_model(), "OPENVINO")
    for places in ([0, 0, 0, 4], [0, 1, 0, 0]):
        with pytest.raises(DelegateExecuteError, match="is out of range"):
            again(given(LOOP_COMPUTED, places))
    direct = core.compile_model(imported(parsed(DIRECT)), "OPENVINO")
    again = core.import_model(direct.export_model(), "OPENVINO")
    with pytest.raises(DelegateExecuteError, match=r"4 is out of range, expected -4\.\.3"):
        again(given(LOOP, [0, 0, 0, 4]))


CHECKS = {
    "a loop": lambda: in_graphs(LOOP),
    "places of a loop": lambda: in_graphs(LOOP_COMPUTED),
    "a choice": lambda: in_graphs(IF),
    "later rounds": in_later_rounds,
    "the branch that does not run": in_the_branch_that_does_not_run,
    "exported models": in_exported_models,
}


def main() -> None:
    """Prints what is wrong with each."""
    for name, check in CHECKS.items():
        try:
            check()
            wrong = ""
        except BaseException:
            wrong = traceback.format_exc()
        print(json.dumps([name, wrong]), flush=True)


if __name__ == "__main__":
    main()

"""Models that keep something between runs, written and run by LiteRT step by step."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite")

from lite_delegate import GraphError
from lite_delegate.exporting import tflite_content
from lite_delegate.formats import read_model_buffer
from lite_delegate.ir import DataType, Graph, Node, Value, make_primitive
from tests.formats.tflite.models import const
from tests.formats.tflite.test_state import MODELS, LiteRt, assert_steps, counter, data

FIRST = const(np.array([5.0, -7.0], np.float32))


class Fresh(LiteRt):
    """LiteRT without a reset, after which it would not set variables again."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        kind = type(self.interpreter)
        self.interpreter = kind(model_content=content)
        self.interpreter.allocate_tensors()


@pytest.mark.parametrize("content", [counter(), counter(first=FIRST)], ids=["zeros", "set once"])
def test_variables(content: bytes) -> None:
    after = Fresh(tflite_content(read_model_buffer(content)))
    first = np.array([5, -7], np.float32) if content == counter(first=FIRST) else np.zeros(2, np.float32)
    for step in range(3):
        x = np.array([1, 10], np.float32)
        got = after.run(x)
        np.testing.assert_array_equal(got[0], first + (step + 1) * x)
        np.testing.assert_array_equal(got[1], x)


@pytest.mark.parametrize("name", ["svdf", "rnn", "rnn over a sequence"])
def test_operators_that_keep_a_state(name: str) -> None:
    before, after = LiteRt(MODELS[name]), Fresh(tflite_content(read_model_buffer(MODELS[name])))
    xs = data(MODELS[name])
    assert_steps([after.run(x) for x in xs], [before.run(x) for x in xs])


def test_additions_to_variables_are_refused() -> None:
    x, v = Value("x", DataType.FLOAT32, (2,)), Value("v", DataType.FLOAT32, (2,), is_parameter=True)
    y = Value("y", DataType.FLOAT32, (2,))
    node = Node("add", make_primitive("AssignAdd"), [v, x], [y])
    with pytest.raises(GraphError, match="'add' \\(AssignAdd\\)"):
        tflite_content(Graph("g", [x], [y], [node]))

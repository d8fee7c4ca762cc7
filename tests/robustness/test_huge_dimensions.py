"""Dimensions about where integers of 32 and 64 bits end: an answer or one of our errors, and never a bare one."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, DataType, LimitError, LiteDelegateError, Model, Tensor
from lite_delegate.errors import InputError
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.ir.types.enums import ReduceMode
from lite_delegate.npu import NPUDelegate
from lite_delegate.partition import PartitionOptions
from lite_delegate.report import partition_report

HUGE = (2**31, 2**40, 2**60, 2**63 - 1)
SHAPES = [tuple(dims) for size in HUGE for dims in itertools.chain([(size, 3, 3, 4), (1, size, 3, 4), (1, 3, 3, size)])]
SHAPES += [(size, 0, 1, 1) for size in HUGE] + [(2**31, 2**31, 1, 1), (2**20, 2**20, 2**20, 1)]


def ints(*numbers: int) -> Value:
    return constant("numbers", np.array(numbers, np.int32))


NODES: dict[str, Callable[[], tuple[dict[str, Any], list[Value]]]] = {
    "Abs": lambda: ({}, []),
    "Activation": lambda: ({"activation_type": "GELU"}, []),
    "AddFusion": lambda: ({}, [constant("b", np.ones((1, 1, 1, 4), np.float32))]),
    "ArgMaxFusion": lambda: ({"axis": -1}, []),
    "AvgPoolFusion": lambda: ({"kernel_size": [2, 2], "strides": [1, 1], "pad_mode": "SAME"}, []),
    "Conv2DFusion": lambda: (
        {"kernel_size": [2, 2], "stride": [1, 1], "dilation": [1, 1], "pad_mode": "SAME", "in_channel": 4},
        [constant("w", np.ones((2, 2, 2, 4), np.float32))],
    ),
    "Flatten": lambda: ({"axis": 1}, []),
    "FullConnection": lambda: (
        {"axis": 1, "use_axis": True, "has_bias": False}, [constant("w", np.ones((2, 36), np.float32))],
    ),
    "LayerNormFusion": lambda: (
        {"begin_norm_axis": -1, "begin_params_axis": -1, "epsilon": 1e-5},
        [constant("g", np.ones(4, np.float32)), constant("s", np.ones(4, np.float32))],
    ),
    "MatMulFusion": lambda: ({}, [constant("w", np.ones((1, 1, 4, 2), np.float32))]),
    "PadFusion": lambda: ({"constant_value": 0.0}, [constant("p", np.array([[0, 1]] * 4, np.int32))]),
    "ReduceFusion": lambda: ({"mode": ReduceMode.ReduceMean.name, "keep_dims": True}, [ints(1, 2)]),
    "Reshape": lambda: ({}, [ints(-1, 4)]),
    "Resize": lambda: ({"method": "LINEAR", "new_height": 2**31 - 1, "new_width": 7}, []),
    "Shape": lambda: ({}, []),
    "Softmax": lambda: ({"axis": [-1]}, []),
    "TileFusion": lambda: ({}, [ints(2**31 - 1, 1, 1, 2)]),
    "Transpose": lambda: ({}, [ints(0, 3, 1, 2)]),
}  # fmt: skip
"""Operators with their attributes and constants, for an input of rank 4."""


@pytest.mark.parametrize("operator", NODES)
def test_any_plan_is_made_or_refused(operator: str) -> None:
    for shape in SHAPES:
        attributes, more = NODES[operator]()
        x, y = Value("x", DataType.FLOAT32, shape), Value("y", DataType.FLOAT32, None)
        graph = Graph("main", [x], [y], [Node("n", make_primitive(operator, **attributes), [x, *more], [y])])
        context = Context()
        context.set_delegate(NPUDelegate())
        context.plan_only = True
        context.partition = PartitionOptions(placement="cost")
        model = Model()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.build_from_graph(graph, context)
            except LiteDelegateError:
                continue
            partition_report(model).to_json()


def test_a_shape_beyond_32_bits_is_an_operand_of_64() -> None:
    """What a delegate's limit on ranks splits in two keeps its dimensions."""
    x, y = Value("x", DataType.FLOAT32, (1, 1, 2**31, 3, 4)), Value("y", DataType.FLOAT32, None)
    graph = Graph("main", [x], [y], [Node("n", make_primitive("Softmax", axis=[-1]), [x], [y])])
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate())
    context.plan_only = True
    model.build_from_graph(graph, context)
    assert [list(t.shape) for t in model.get_outputs()] == [[1, 1, 2**31, 3, 4]]


def test_what_no_array_can_be_is_named_with_its_shape() -> None:
    x, y = Value("x", DataType.FLOAT32, (2**62, 2)), Value("y", DataType.FLOAT32, None)
    graph = Graph("main", [x], [y], [Node("n", make_primitive("Abs"), [x], [y])])
    with pytest.raises(LimitError, match=rf"Input 'x' would have the shape \[{2**62}, 2\] of float32, and no array"):
        Model().build_from_graph(graph)
    x, many = Value("x", DataType.FLOAT32, (2**31, 2**28)), constant("many", np.array([2**31 - 1, 1], np.int32))
    graph = Graph("main", [x], [y], [Node("n", make_primitive("TileFusion"), [x, many], [y])])
    with pytest.raises(LimitError, match=r"node 'n' \(TileFusion\): output 'y' would have the shape"):
        Model().build_from_graph(graph)


@pytest.mark.parametrize("shape", [[2**62, 2**62], [2**62, 7, 0], [2**63], [2**70, 0]])
def test_a_tensor_that_no_array_can_be_says_so(shape: list[int]) -> None:
    with pytest.raises(InputError, match="Tensor 't': no array can have the shape"):
        Tensor.describe("t", DataType.FLOAT32, tuple(shape)).get_data_to_numpy()


def test_a_tensor_that_memory_does_not_hold_says_so() -> None:
    with pytest.raises(LimitError, match="Tensor 't': there is not enough memory"):
        Tensor.describe("t", DataType.FLOAT32, (2**59,)).get_data_to_numpy()

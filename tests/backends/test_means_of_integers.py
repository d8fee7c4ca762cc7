"""Means of integers that are scaled anew, in models whose convolutions have OpenVINO compute on integers."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels import NodeQuantization, Quantization

from lite_delegate import Context, Delegate, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.conformance.judging.chain import Chain, ChainNode, chain_graph

X = np.array([[10, 20, -30], [40, -50, 60], [70, 80, -90]], np.int8).reshape(1, 3, 3, 1)
IN, OUT = Quantization((0.5,), (7,)), Quantization((0.25,), (-3,))
"""Windows of 2 by 2 have the means 5, 0, 35 and 0."""


@pytest.mark.parametrize("delegate", [OnnxRuntimeDelegate, OpenVINODelegate])
def test_a_convolution_beside_them_changes_nothing(delegate: type[Delegate]) -> None:
    pytest.importorskip(delegate.name)
    pool = ChainNode(
        "pool", "AvgPoolFusion", ("x",), ("means",), {"kernel_size": (2, 2), "strides": (1, 1), "pad_mode": "VALID"},
        NodeQuantization((IN,), (OUT,)),
    )  # fmt: skip
    weights = NodeQuantization((OUT, Quantization((0.02,), (0,))), (OUT,))
    attributes = {"kernel_size": (1, 1), "pad_mode": "VALID", "group": 1, "stride": (1, 1), "dilation": (1, 1)}
    conv = ChainNode("conv", "Conv2DFusion", ("means", "w"), ("y",), attributes, weights)
    chain = Chain("means", (pool, conv), {"x": X}, {"w": np.full((1, 1, 1, 1), 50, np.int8)}, ("means", "y"))
    context, model = Context(), Model()
    context.set_delegate(delegate())
    model.build_from_graph(chain_graph(chain, [X, X]), context)
    assert all(node.subgraph for node in model.get_partition().nodes)
    means, y = (tensor.data for tensor in model.predict([X]))
    # mean, then (mean - 7) * 0.5 / 0.25 - 3; of weights that stand for 1 the same again
    expected = np.array([[2 * (5 - 7) - 3, 2 * (0 - 7) - 3], [2 * (35 - 7) - 3, 2 * (0 - 7) - 3]])
    np.testing.assert_array_equal(means[0, :, :, 0], expected)
    assert np.abs(y[0, :, :, 0] - expected).max() <= 1

"""BatchNorm, FusedBatchNorm, LayerNormFusion, ScaleFusion, Softmax: errors and unknown dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ArraySpec, KernelInputError
from lite_delegate_kernels.op_batch_norm import KERNEL as BATCH_NORM
from lite_delegate_kernels.op_fused_batch_norm import KERNEL as FUSED_BATCH_NORM
from lite_delegate_kernels.op_layer_norm_fusion import KERNEL as LAYER_NORM_FUSION
from lite_delegate_kernels.op_scale_fusion import KERNEL as SCALE_FUSION
from lite_delegate_kernels.op_softmax import KERNEL as SOFTMAX


def _spec(*shape: int, dtype: str = "float32") -> ArraySpec:
    return ArraySpec(np.dtype(dtype), shape)


UNRANKED = ArraySpec(np.dtype("float32"), None)
INTS = _spec(2, 3, dtype="int32")


@pytest.mark.parametrize("x", [_spec(2, -1), UNRANKED, _spec(-1, 3)])
def test_batch_norm_keeps_what_is_known(x: ArraySpec) -> None:
    assert BATCH_NORM.infer(x, _spec(3), UNRANKED).shape == x.shape
    fused = FUSED_BATCH_NORM.infer(x, _spec(3), _spec(-1), _spec(3), UNRANKED)
    assert isinstance(fused, ArraySpec)
    assert fused.shape == x.shape


@pytest.mark.parametrize(
    ("x", "mean", "message"),
    [
        (_spec(2, 4), _spec(3), r"mean must have one element per channel, shape \(4,\), got \(3,\)"),
        (_spec(2, 3), _spec(1, 3), r"mean must have one element per channel, shape \(3,\), got \(1, 3\)"),
        (UNRANKED, _spec(), r"mean must have one element per channel, shape \(C,\), got \(\)"),
        (_spec(), _spec(3), "input 0 must have a channel dim, got rank 0"),
        (INTS, _spec(3), "input 0 must be one of float32, float16, float64, got int32"),
        (_spec(2, 3), _spec(3, dtype="int32"), "mean must be one of float32, float16, float64, got int32"),
    ],
)
def test_batch_norm_rejections(x: ArraySpec, mean: ArraySpec, message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        BATCH_NORM.infer(x, mean, _spec(3))
    with pytest.raises(KernelInputError, match=message):
        FUSED_BATCH_NORM.infer(x, _spec(x.shape[-1] if x.shape else 3), UNRANKED, mean, UNRANKED)


def test_fused_batch_norm_outputs() -> None:
    x, parameters = _spec(-1, 2, 3), [_spec(3), _spec(3), _spec(3), _spec(-1)]
    specs = FUSED_BATCH_NORM.infer(x, *parameters, output_count=5)
    assert isinstance(specs, tuple)
    assert [s.shape for s in specs] == [(-1, 2, 3), (3,), (3,), (3,), (-1,)]
    for count in (0, 6):
        with pytest.raises(KernelInputError, match=f"1 to 5 outputs expected, got {count}"):
            FUSED_BATCH_NORM.infer(x, *parameters, output_count=count)


@pytest.mark.parametrize("momentum", [-0.1, 1.1])
def test_fused_batch_norm_momentum(momentum: float) -> None:
    with pytest.raises(KernelInputError, match=rf"momentum must be in \[0, 1\], got {momentum}"):
        FUSED_BATCH_NORM.infer(_spec(2, 3), *([_spec(3)] * 4), momentum=momentum)


def test_layer_norm_keeps_what_is_known() -> None:
    specs = LAYER_NORM_FUSION.infer(_spec(-1, 4, 5), begin_norm_axis=-1, output_count=3)
    assert isinstance(specs, tuple)
    assert [s.shape for s in specs] == [(-1, 4, 5), (-1, 4), (-1, 4)]
    unranked = LAYER_NORM_FUSION.infer(UNRANKED, _spec(5), _spec(5), begin_params_axis=2, output_count=3)
    assert isinstance(unranked, tuple)
    assert [s.shape for s in unranked] == [None, None, None]
    partly = LAYER_NORM_FUSION.infer(_spec(2, -1), _spec(4), _spec(-1), begin_params_axis=1)
    assert isinstance(partly, ArraySpec)
    assert partly.shape == (2, -1)


@pytest.mark.parametrize(
    ("x", "parameters", "attributes", "message"),
    [
        (INTS, (), {}, "input 0 must be one of float32, float16, float64, got int32"),
        (_spec(2, 3), (_spec(3),), {}, "gamma and beta must be given both or neither"),
        (_spec(2, 3), (), {"output_count": 2}, "1 or 3 outputs expected, got 2"),
        (_spec(2, 3), (), {"begin_norm_axis": 2}, "axis 2 is out of range for rank 2"),
        (_spec(2, 3), (), {"begin_norm_axis": -3}, "axis -3 is out of range for rank 2"),
        (_spec(), (), {}, "axis 0 is out of range for rank 0"),
        (_spec(2, 3), (_spec(3), _spec(3)), {"begin_params_axis": -4}, "axis -4 is out of range for rank 2"),
        (
            _spec(2, 3),
            (_spec(3), _spec(2)),
            {"begin_params_axis": 1},
            r"beta must have the dims of x from axis 1 on, \(3,\), got \(2,\)",
        ),
        (
            _spec(2, 3),
            (_spec(3), _spec(3)),
            {"begin_params_axis": 0},
            r"gamma must have the dims of x from axis 0 on, \(2, 3\), got \(3,\)",
        ),
        (_spec(2, 3), (_spec(3, dtype="int8"), _spec(3)), {"begin_params_axis": 1}, "gamma must be one of .*got int8"),
    ],
)
def test_layer_norm_rejections(
    x: ArraySpec, parameters: tuple[ArraySpec, ...], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(KernelInputError, match=message):
        LAYER_NORM_FUSION.infer(x, *parameters, **attributes)


def test_scale_keeps_what_is_known() -> None:
    assert SCALE_FUSION.infer(_spec(2, -1, 4), _spec(3), axis=1).shape == (2, -1, 4)
    assert SCALE_FUSION.infer(UNRANKED, _spec(3), _spec(3), axis=-1).shape is None
    assert SCALE_FUSION.infer(_spec(2, 3), UNRANKED, _spec(3), axis=1).shape == (2, 3)


@pytest.mark.parametrize(
    ("x", "scale", "offset", "attributes", "message"),
    [
        (_spec(2, 3), _spec(2), None, {"axis": 1}, r"scale must have the first dims of \(3,\) .*, got \(2,\)"),
        (_spec(2, 3), _spec(3, 1), None, {"axis": 1}, r"scale must have the first dims of \(3,\) .*, got \(3, 1\)"),
        (_spec(2, 3), _spec(3), _spec(1), {"axis": 1}, r"offset must have the shape of scale, \(3,\), got \(1,\)"),
        (_spec(2, 3), _spec(2), _spec(2, 3), {"axis": 0}, r"shape of scale, \(2,\), got \(2, 3\)"),
        (_spec(2, 3), _spec(2, 3), _spec(2), {"axis": 0}, r"shape of scale, \(2, 3\), got \(2,\)"),
        (UNRANKED, _spec(3), _spec(4), {"axis": 0}, r"shape of scale, \(3,\), got \(4,\)"),
        (_spec(2, 3), _spec(3), None, {"axis": 2}, "axis 2 is out of range for rank 2"),
        (_spec(2, 3), _spec(3), None, {"axis": -3}, "axis -3 is out of range for rank 2"),
        (INTS, _spec(3), None, {"axis": 1}, "must be one of float32, float16, float64, got int32"),
        (_spec(2, 3), _spec(3, dtype="float16"), None, {"axis": 1}, "one dtype, got float32, float16"),
        (_spec(2, 3), _spec(3), None, {"axis": 1, "activation_type": "TANH"}, "when fused, got TANH"),
    ],
)
def test_scale_rejections(
    x: ArraySpec, scale: ArraySpec, offset: ArraySpec | None, attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(KernelInputError, match=message):
        SCALE_FUSION.infer(x, scale, offset, **attributes)


def test_softmax_keeps_what_is_known() -> None:
    assert SOFTMAX.infer(_spec(-1, 3), axis=(1,)).shape == (-1, 3)
    assert SOFTMAX.infer(UNRANKED, axis=(5,)).shape is None


@pytest.mark.parametrize(
    ("x", "axis", "message"),
    [
        (_spec(2, 3), None, "axis must hold exactly one value, got None"),
        (_spec(2, 3), (), r"axis must hold exactly one value, got \[\]"),
        (_spec(2, 3), (0, 1), r"axis must hold exactly one value, got \[0, 1\]"),
        (_spec(2, 3), (2,), "axis 2 is out of range for rank 2"),
        (_spec(), (0,), "axis 0 is out of range for rank 0"),
        (INTS, (0,), "must be one of float32, float16, float64, got int32"),
    ],
)
def test_softmax_rejections(x: ArraySpec, axis: tuple[int, ...] | None, message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        SOFTMAX.infer(x, axis=axis)

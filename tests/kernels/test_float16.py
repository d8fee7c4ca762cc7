"""float16: computed in float32 and rounded once, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, Array, KernelRegistry

AXES = np.array([1], dtype=np.int32)
SHAPE = (4, 96)


def _numbers(seed: int) -> Array:
    return np.abs(np.random.default_rng(seed).normal(size=SHAPE) * 2).astype(np.float16)


def _row(seed: int) -> Array:
    row: Array = _numbers(seed)[0] + np.float16(0.25)
    return row


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes"),
    [
        *[
            ("Activation", (), {"activation_type": name, "alpha": 0.3, "min_val": 0.1, "max_val": 2.3})
            for name in ("SIGMOID", "TANH", "SWISH", "HSWISH", "HSIGMOID", "GELU", "FAST_GELU", "SOFTPLUS", "SOFTSIGN")
        ],
        ("Activation", (), {"activation_type": "GELU", "approximate": True}),
        ("Softmax", (), {"axis": (1,)}),
        ("BatchNorm", (_row(2), _row(3)), {"epsilon": 0.001}),
        ("FusedBatchNorm", (_row(2), _row(3), _row(4), _row(5)), {"epsilon": 0.001}),
        ("LayerNormFusion", (_row(2), _row(3)), {"begin_norm_axis": 1, "begin_params_axis": 1}),
        ("ScaleFusion", (_row(2), _row(3)), {"axis": 1}),
        *[("ReduceFusion", (AXES,), {"mode": mode}) for mode in ("ReduceMean", "ReduceSum", "ReduceL2")],
        *[
            (op, (), {})
            for op in ("Sqrt", "Rsqrt", "Reciprocal", "Log", "Log1p", "Sin", "Cos", "Erf", "LogSoftmax", "GLU")
        ],
        ("ExpFusion", (), {}),
        ("ExpFusion", (), {"base": 1.7, "scale": -0.3, "shift": 0.2}),
        ("Elu", (), {"alpha": 0.3}),
        ("LeakyRelu", (), {"negative_slope": 0.3}),
        ("PReLUFusion", (_row(2),), {}),
        ("PowFusion", (_row(2),), {"scale": 0.7, "shift": 0.1}),
        ("AddN", (_numbers(2), _numbers(3), _numbers(4)), {}),
        ("SquaredDifference", (_numbers(2),), {}),
        ("FloorDiv", (_row(2),), {}),
        ("FakeQuantWithMinMaxVars", (np.array(-1.1, np.float16), np.array(3.3, np.float16)), {"num_bits": 5}),
        ("FakeQuantWithMinMaxVarsPerChannel", (-_row(2), _row(3)), {"num_bits": 5}),
    ],
)
def test_it_is_the_float32_result_rounded(op_type: str, inputs: tuple[Array, ...], attributes: dict[str, Any]) -> None:
    kernel = KernelRegistry(ALL_KERNELS).find(op_type)
    assert kernel is not None
    x = _numbers(1)
    wide = [a.astype(np.float32) if a.dtype == np.float16 else a for a in (x, *inputs)]
    want = kernel.run(*wide, **attributes)
    assert isinstance(want, np.ndarray)
    assert want.dtype == np.float32
    got = kernel.run(x, *inputs, **attributes)
    np.testing.assert_array_equal(got, want.astype(np.float16), strict=True)

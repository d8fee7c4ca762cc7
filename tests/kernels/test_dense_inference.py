"""What convolutions, poolings, matrix products and BiasAdd say of their outputs when dimensions are unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, ArraySpec, KernelRegistry, Shape

U = -1
CONV = {"group": 1, "stride": (2, 2), "pad_list": (1, 1, 1, 1)}
SAME = {"group": 1, "stride": (2, 2), "pad_mode": "SAME"}
POOL = {"kernel_size": (3, 3), "strides": (2, 2)}

ROWS: list[tuple[str, tuple[Shape | None, ...], dict[str, Any], Shape | None]] = [
    ("Conv2DFusion", ((U, 9, 9, 4), (6, 3, 3, 4)), CONV, (U, 5, 5, 6)),
    ("Conv2DFusion", ((2, U, 9, 4), (6, 3, 3, 4)), CONV, (2, U, 5, 6)),
    ("Conv2DFusion", ((2, 9, U, U), (6, 3, 3, 4)), CONV, (2, 5, U, 6)),
    ("Conv2DFusion", (None, (6, 3, 3, 4)), CONV, (U, U, U, 6)),
    ("Conv2DFusion", ((2, 9, 9, 4), None), CONV, (2, U, U, U)),
    ("Conv2DFusion", ((2, 9, 9, 4), None), {**CONV, "kernel_size": (3, 3)}, (2, 5, 5, U)),
    ("Conv2DFusion", ((2, 9, 9, 4), None, (6,)), {**CONV, "group": 0}, (2, U, U, U)),
    ("Conv2DFusion", ((2, 9, 9, 4), (U, 3, 3, 4), None), {**CONV, "group": 0}, (2, 5, 5, U)),
    ("Conv2DFusion", ((2, U, 9, 4), None), SAME, (2, U, 5, U)),
    ("Conv2DFusion", ((2, 9, 9, 4), (6, 3, 3, 4), (U,)), CONV, (2, 5, 5, 6)),
    ("Conv2DFusion", ((2, 9, 9, 4), (6, 3, 3, 4), None), CONV, (2, 5, 5, 6)),
    ("Conv2dTransposeFusion", ((U, 4, U, 4), (4, 3, 3, 6)), CONV, (U, 7, U, 6)),
    ("Conv2dTransposeFusion", ((2, 4, 4, 4), None), SAME, (2, 8, 8, U)),
    ("Conv2dTransposeFusion", ((2, 4, 4, 4), None), CONV, (2, U, U, U)),
    ("Conv2dTransposeFusion", ((2, 4, 4, 4), (U, 3, 3, 2)), {}, (2, 6, 6, U)),
    ("Conv2dTransposeFusion", (None, (4, 3, 3, 2)), {}, (U, U, U, 8)),
    ("MaxPoolFusion", ((U, 9, U, 4),), POOL, (U, 4, U, 4)),
    ("MaxPoolFusion", ((U, U, U, U),), {"global_": True}, (U, 1, 1, U)),
    ("MaxPoolFusion", (None,), POOL, None),
    ("AvgPoolFusion", ((U, 9, U, 4),), {**POOL, "pad_mode": "SAME"}, (U, 5, U, 4)),
    ("AvgPoolFusion", (None,), {"global_": True}, None),
    ("FullConnection", ((U, 3, 4), (5, 12)), {"use_axis": True, "axis": 1}, (U, 5)),
    ("FullConnection", ((2, U, 4), (5, 12)), {"use_axis": True, "axis": 1}, (2, 5)),
    ("FullConnection", ((U, 4), (5, 4)), {}, (U, 5)),
    ("FullConnection", ((2, 4), None), {}, (U, U)),
    ("FullConnection", (None, (5, 4)), {}, (U, 5)),
    ("FullConnection", (None, (5, 4)), {"use_axis": True, "axis": 1}, None),
    ("MatMulFusion", ((U, 4), (4, 5)), {}, (U, 5)),
    ("MatMulFusion", ((3, U), (4, 5)), {}, (3, 5)),
    ("MatMulFusion", ((U, 3), (U, 5)), {"transpose_a": True}, (3, 5)),
    ("MatMulFusion", ((3, 4), (U, U)), {"transpose_b": True}, (3, U)),
    ("MatMulFusion", ((U, 3, 4), (2, 4, 5)), {}, (2, 3, 5)),
    ("MatMulFusion", ((U, 3, 4), (1, 4, 5), (U, 5)), {}, (U, 3, 5)),
    ("MatMulFusion", ((3, 4), None), {}, None),
    ("MatMulFusion", (None, (4, 5), None), {}, None),
    ("MatMulFusion", ((U,), (4,)), {}, ()),
    ("BiasAdd", ((2, U), (3,)), {}, (2, U)),
    ("BiasAdd", (None, (3,)), {}, None),
    ("BiasAdd", ((2, 3), None), {}, (2, 3)),
]


@pytest.mark.parametrize(("op_type", "shapes", "attributes", "want"), ROWS)
def test_unknown_dimensions(
    op_type: str, shapes: tuple[Shape | None, ...], attributes: dict[str, Any], want: Shape | None
) -> None:
    kernel = KernelRegistry(ALL_KERNELS).find(op_type)
    assert kernel is not None
    half = np.dtype(np.float16)
    got = kernel.infer(*(ArraySpec(half, shape) for shape in shapes), **attributes)
    assert got == ArraySpec(half, want)

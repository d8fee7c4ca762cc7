"""AdderFusion, Affine, LshProjection: rejections, unknown dimensions, large inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ArraySpec, KernelInputError

from tests.kernels.single_node import infer, normal, run, spec, unranked

U = unranked()
AFFINE: dict[str, Any] = {"context": (-1, 0, 1), "output_dim": 12}


@pytest.mark.parametrize(
    ("op", "specs", "attributes", "expected"),
    [
        ("AdderFusion", (spec(-1, 8, 8, 3), spec(5, 3, 3, 3)), {}, (-1, 6, 6, 5)),
        ("AdderFusion", (U, spec(5, 3, 3, 3), spec(5)), {"group": 1}, (-1, -1, -1, 5)),
        ("AdderFusion", (spec(1, 8, -1, 3), U), {"kernel_size": (2, 2), "stride": (2, 2)}, (1, 4, -1, -1)),
        ("Affine", (spec(1, 9, 4), spec(12, 5), spec(5)), AFFINE, (1, 7, 5)),
        ("Affine", (spec(-1, -1, 4), spec(12, 5)), AFFINE, (-1, -1, 5)),
        ("Affine", (U, spec(5, 12)), {**AFFINE, "transpose_b": True}, (-1, -1, 5)),
        ("Affine", (spec(2, 9, 4), spec(7, 5)), {**AFFINE, "transpose_a": True}, (2, 12, 5)),
        ("LshProjection", (spec(3, 4), U), {"type": "DENSE"}, (12,)),
        ("LshProjection", (spec(3, -1), U, U), {"type": "DENSE"}, (-1,)),
        ("LshProjection", (spec(3, -1), spec(2, 5)), {"type": "SPARSE"}, (3,)),
    ],
)
def test_what_is_known_of_the_shape(
    op: str, specs: tuple[ArraySpec, ...], attributes: dict[str, Any], expected: tuple[int, ...]
) -> None:
    assert infer(op, *specs, **attributes).shape == expected


@pytest.mark.parametrize(
    ("op", "specs", "attributes", "message"),
    [
        ("AdderFusion", (U, U), {"group": 2}, "group must be 0 or 1, got 2"),
        ("AdderFusion", (spec(1, 8, 8, 4), spec(5, 3, 3, 3)), {}, "x must have 3 channels"),
        ("AdderFusion", (spec(1, 2, 8, 3), spec(5, 3, 3, 3)), {}, "the kernel spans 3 elements"),
        ("AdderFusion", (U, spec(5, 3, 3, 3), spec(4)), {}, r"bias must have shape \(5,\), got \(4,\)"),
        ("AdderFusion", (U, U), {"activation_type": "TANH"}, "when fused, got TANH"),
        ("Affine", (U, U), {}, "context must hold the offsets of at least one frame, got None"),
        ("Affine", (U, U), {"context": ()}, r"context must hold the offsets of at least one frame, got \(\)"),
        ("Affine", (spec(9, 4), U), AFFINE, r"x must have shape \(\?, \?, \?\), got \(9, 4\)"),
        ("Affine", (spec(1, 9, 5), U), AFFINE, r"output_dim must be 3 \* 5, got 12"),
        ("Affine", (spec(1, 2, 4), U), AFFINE, "context reaches over 3 frames, x has only 2"),
        ("Affine", (spec(1, 9, 4), spec(11, 5)), AFFINE, "12"),
        ("Affine", (spec(1, 9, 4), spec(12, 5), spec(6)), AFFINE, "bias must"),
        ("Affine", (U, U), {**AFFINE, "activation_type": "GELU"}, "activation_type must be one of .*, got GELU"),
        ("Affine", (unranked("int32"), U), AFFINE, "must be one of float32, float16, float64, got int32"),
        ("LshProjection", (U, U), {}, "type must be DENSE or SPARSE, got UNKNOWN"),
        ("LshProjection", (spec(3), U), {"type": "DENSE"}, r"hash must have shape \(\?, \?\), got \(3,\)"),
        ("LshProjection", (spec(3, 33), U), {"type": "DENSE"}, "hash must have at most 32 columns, got 33"),
        ("LshProjection", (U, spec()), {"type": "DENSE"}, "items must have at least one dim, got rank 0"),
        ("LshProjection", (U, spec(2, 3), spec(3)), {"type": "DENSE"}, r"weight must have shape \(2,\), got \(3,\)"),
        ("LshProjection", (U, U, unranked("int32")), {"type": "DENSE"}, "weight must be one of float32, got int32"),
        ("LshProjection", (unranked("float64"), U), {"type": "DENSE"}, "must be one of float32, got float64"),
    ],
)
def test_rejections(op: str, specs: tuple[ArraySpec, ...], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer(op, *specs, **attributes)


def test_adder_of_more_differences_than_are_worked_out_at_once() -> None:
    x, weight = normal(2, 20, 20, 16, seed=1), normal(24, 3, 3, 16, seed=2)
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), (3, 3), axis=(1, 2))
    columns = windows.transpose(0, 1, 2, 4, 5, 3)
    wanted = np.stack([-np.abs(columns - kernel).sum(axis=(3, 4, 5)) for kernel in weight], axis=-1)
    np.testing.assert_allclose(run("AdderFusion", x, weight), wanted, rtol=1e-5)


def test_affine_of_a_constant_context_is_a_matrix_product_against_numpy() -> None:
    x, weight, bias = normal(2, 6, 4, seed=3), normal(4, 5, seed=4), normal(5, seed=5)
    wanted = np.tanh(x @ weight + bias)
    got = run("Affine", x, weight, bias, context=(0,), output_dim=4, activation_type="TANH")
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def test_sparse_projections_of_32_bits_wrap_around() -> None:
    got = run("LshProjection", normal(2, 32, seed=6), normal(3, 4, seed=7), type="SPARSE")
    bits = run("LshProjection", normal(2, 32, seed=6), normal(3, 4, seed=7), type="DENSE").reshape(2, 32)
    wanted = [int("".join(map(str, row)), 2) for row in bits]
    assert [int(v) % 2**32 for v in got] == wanted

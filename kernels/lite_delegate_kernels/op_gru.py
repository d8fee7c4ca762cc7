"""GRU: gated recurrent unit whose reset gate acts before the matrix product."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, check_dtype, widen
from ._expect import expect_shape
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._recurrent import GruWeights, gru_direction


@np.errstate(all="ignore")
def gru(
    x: Array,
    weight: Array,
    state_weight: Array,
    bias: Array,
    h0: Array,
    sequence_lengths: Array | None = None,
    *,
    bidirectional: bool = False,
    output_count: int = 1,
) -> Array | tuple[Array, ...]:
    """A GRU over a sequence; see ``_recurrent.gru_direction`` for one step. D is 2 when bidirectional, else 1.

    Args:
        x: (T, B, I), float. float16 is computed in float32.
        weight: (D, 3H, I), gates in the order update, reset, hidden.
        state_weight: (D, 3H, H).
        bias: (D, 6H), the input bias before the state bias.
        h0: (D, B, H).
        sequence_lengths: integers (B,), how many time steps each sequence has; None means all T.
        bidirectional: whether a second direction runs from the last time step to the first.
        output_count: 1 or 2.

    Returns:
        y (T, D, B, H), zero past a sequence's end, and the last h (D, B, H).

    Raises:
        KernelInputError: a sequence length that is not in ``[0, T]``.

    NOTE: lengths may differ, and the last state is that at a sequence's own end, as ONNX defines. MindSpore Lite
    rejects differing lengths and steps on to T.
    """
    lengths = None if sequence_lengths is None else _checked_lengths(sequence_lengths, x.shape[0])
    w, r, b, h = (widen(a) for a in (weight, state_weight, bias, h0))
    half = b.shape[1] // 2
    parts = [
        gru_direction(widen(x), h[d], GruWeights(w[d], r[d], b[d, :half], b[d, half:]), lengths, backward=d == 1)
        for d in range(w.shape[0])
    ]
    ys, hs = zip(*parts, strict=True)
    y = np.stack(ys, axis=1).astype(x.dtype, copy=False)
    return y if output_count == 1 else (y, np.stack(hs).astype(x.dtype, copy=False))


def infer_gru(
    x: ArraySpec,
    weight: ArraySpec,
    state_weight: ArraySpec,
    bias: ArraySpec,
    h0: ArraySpec,
    sequence_lengths: ArraySpec | None = None,
    *,
    bidirectional: bool,
    output_count: int,
) -> ArraySpec | tuple[ArraySpec, ...]:
    """The specs of y and h; raises KernelInputError for dtypes and shapes that do not fit."""
    if output_count not in (1, 2):
        raise KernelInputError(f"1 or 2 outputs expected, got {output_count}")
    for i, spec in enumerate((x, weight, state_weight, bias, h0)):
        check_dtype(spec, FLOATS, f"input {i}")
    directions = 2 if bidirectional else 1
    steps, batch, features = expect_shape("x", x, (UNKNOWN,) * 3)
    _, rows, _ = expect_shape("weight", weight, (directions, UNKNOWN, features))
    if rows != UNKNOWN and rows % 3:
        raise KernelInputError(f"weight must hold three gates, got {rows} rows")
    _, batch, hidden = expect_shape("h0", h0, (directions, batch, UNKNOWN if rows == UNKNOWN else rows // 3))
    rows = UNKNOWN if hidden == UNKNOWN else 3 * hidden
    expect_shape("state weight", state_weight, (directions, rows, hidden))
    expect_shape("bias", bias, (directions, UNKNOWN if rows == UNKNOWN else 2 * rows))
    if sequence_lengths is not None:
        check_dtype(sequence_lengths, ("int32", "int64"), "sequence_lengths")
        (batch,) = expect_shape("sequence_lengths", sequence_lengths, (batch,))
    y = ArraySpec(x.dtype, (steps, directions, batch, hidden))
    return y if output_count == 1 else (y, ArraySpec(x.dtype, (directions, batch, hidden)))


def _checked_lengths(lengths: Array, steps: int) -> Array:
    wrong = lengths[(lengths < 0) | (lengths > steps)]
    if wrong.size:
        raise KernelInputError(f"sequence lengths must be in 0..{steps}, got {wrong[0]}")
    return lengths


KERNEL = ReferenceKernel("GRU", gru, infer_gru, FLOATS, needs_output_count=True)

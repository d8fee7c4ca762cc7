"""ONNX's Fourier transforms, as products with matrices of cosines and sines."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import UNKNOWN, Array

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode

MAX_LENGTH = 2048
"""Longest transform: its matrix has the square of as many elements."""


def _dft(node: OnnxNode) -> Value:
    x, length, given = node.x(0), node.optional(1), node.optional(2)
    rank = node.rank(x)
    default = node.get("axis", 1) if node.opset < 20 else -2
    axis = default if given is None else int(node.constant_input(2, "axis").reshape(()))
    axis = node.axis(axis, rank)
    node.reject_unless(axis < rank - 1, Why.ATTRIBUTE, "axis must not be that of real and imaginary part")
    size = node.dims(x)[axis]
    inverse, onesided = bool(node.get("inverse", 0)), bool(node.get("onesided", 0))
    whole = 2 * (size - 1) if inverse and onesided else size
    count = whole if length is None else int(node.constant_input(1, "dft_length").reshape(()))
    last = [*(a for a in range(rank - 1) if a != axis), axis]
    turned = node.transpose(x, [*last, rank - 1])
    y = transform(node, turned, count, inverse, onesided)
    back = np.argsort(last).tolist()
    return node.transpose(y, [*back, rank - 1])


def transform(node: OnnxNode, x: Value, count: int, inverse: bool, onesided: bool) -> Value:
    """The spectrum of (..., n, 1 or 2) along the dimension before the last; n is cut or filled up to ``count``.

    ``X[k] = sum x[t] exp(-2 pi i k t / count)``; the inverse has the other sign and divides by ``count``. One-sided
    the first ``count // 2 + 1`` of them; the inverse of that takes the rest to be their conjugates.
    """
    *before, size, parts = node.dims(x)
    node.reject_unless(
        size != UNKNOWN and parts in (1, 2) and 0 < count <= MAX_LENGTH,
        Why.SHAPE,
        f"lengths must be known and at most {MAX_LENGTH}, found {size} and {count}",
    )
    used = min(size, count // 2 + 1 if inverse and onesided else count)
    node.check_table(used, count, 2, 2)
    matrix = _mirrored(count, used, parts) if inverse and onesided else _matrix(count, used, parts, inverse, onesided)
    if used < size:
        x = node.emit("StridedSlice", x, node.ints([0]), node.ints([used]), node.ints([len(before)]), node.ints([1]))
    open_dims = before.count(UNKNOWN)
    node.reject_unless(open_dims <= 1, Why.SHAPE, f"at most one dimension may be open, found {before}")
    # In float64, rounded once: sums of cosines cancel.
    flat = node.cast(node.reshape(x, [*before, used * parts]), "float64")
    rows = flat if before else node.unsqueeze(flat, [0])
    y = node.cast(node.emit("MatMulFusion", rows, node.constant(matrix, "fourier")), node.dtype(x))
    kinds = 1 if inverse and onesided else 2
    return node.reshape(y, [*before, matrix.shape[1] // kinds, kinds])


def _matrix(count: int, used: int, parts: int, inverse: bool, onesided: bool) -> Array:
    """From (t, part) to (k, part), float64."""
    frequencies = np.arange(count // 2 + 1 if onesided else count)
    turns = np.outer(np.arange(used), frequencies) % count
    angles = 2 * np.pi * turns / count * (1 if inverse else -1)
    real = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    imaginary = np.stack([-np.sin(angles), np.cos(angles)], axis=-1)
    full = np.stack([real, imaginary][:parts], axis=1) / (count if inverse else 1)
    return np.asarray(full.reshape(used * parts, -1))


def _mirrored(count: int, used: int, parts: int) -> Array:
    """From half a spectrum (k, part) to a real signal (t,), float64: what has a mirror image counts twice."""
    weights = np.array([1 if k == 0 or 2 * k == count else 2 for k in range(used)])[:, None] / count
    angles = 2 * np.pi * (np.outer(np.arange(used), np.arange(count)) % count) / count
    full = np.stack([np.cos(angles) * weights, -np.sin(angles) * weights][:parts], axis=1)
    return np.asarray(full.reshape(used * parts, -1))


def _stft(node: OnnxNode) -> Value:
    """Frames of the signal, times the window, each transformed."""
    signal, window = node.x(0), node.optional(2)
    step = int(node.constant_input(1, "frame_step").reshape(()))
    size = node.dims(signal)[1]
    if node.optional(3) is not None:
        frame = int(node.constant_input(3, "frame_length").reshape(()))
    else:
        frame = node.shape(window)[0] if window is not None else size
    node.reject_unless(size != UNKNOWN, Why.SHAPE, "the signal's length must be known")
    node.reject_unless(step > 0 and 0 < frame <= size, Why.SHAPE, f"frames of {frame} with step {step} of {size}")
    count = (size - frame) // step + 1
    node.check_table(count, frame)
    places = np.arange(count)[:, None] * step + np.arange(frame)
    frames = node.emit("Gather", signal, node.constant(places.astype(np.int32), "frames"), node.axis_operand(1))
    if node.rank(signal) == 2:
        frames = node.unsqueeze(frames, [3])
    if window is not None:
        frames = node.emit("MulFusion", frames, node.unsqueeze(window, [1]))
    return transform(node, frames, frame, False, bool(node.get("onesided", 1)))


CONVERTERS: dict[str, Converter] = {"DFT": _dft, "STFT": _stft}

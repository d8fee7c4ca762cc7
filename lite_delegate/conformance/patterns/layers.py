"""Layers that patterns are put together from: one or two nodes with weights that keep numbers near 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from .draft import PatternDraft


def conv(d: PatternDraft, x: str, c: int, out: int, k: int = 3, **attributes: Any) -> str:
    """A convolution with a bias that keeps height and width."""
    group = attributes.pop("group", 1)
    reach = (3 / (k * k * c / group)) ** 0.5
    weight = d.weight(out, k, k, c // group, low=-reach, high=reach)
    given: dict[str, Any] = {"kernel_size": (k, k), "stride": (1, 1), "dilation": (1, 1), "pad_list": (k // 2,) * 4}
    given |= {"group": group, "in_channel": c, "out_channel": out}
    return d.node("Conv2DFusion", x, weight, d.weight(out), **(given | attributes))


def dense(d: PatternDraft, x: str, c: int, out: int, **attributes: Any) -> str:
    """A matrix product with constant weights and a bias."""
    reach = (3 / c) ** 0.5
    return d.node("MatMulFusion", x, d.weight(c, out, low=-reach, high=reach), d.weight(out), **attributes)


def full(d: PatternDraft, x: str, c: int, out: int, **attributes: Any) -> str:
    """A fully connected layer with a bias."""
    reach = (3 / c) ** 0.5
    weight = d.weight(out, c, low=-reach, high=reach)
    return d.node("FullConnection", x, weight, d.weight(out), has_bias=True, **attributes)


def relu(d: PatternDraft, x: str) -> str:
    """max(x, 0)."""
    return d.node("Activation", x, activation_type="RELU")


def activation(d: PatternDraft, x: str, kind: str, **attributes: Any) -> str:
    """An activation of some kind."""
    return d.node("Activation", x, activation_type=kind, **attributes)


def pool(d: PatternDraft, x: str, kind: str = "MaxPoolFusion", k: int = 2, **attributes: Any) -> str:
    """A pool with windows side by side."""
    return d.node(kind, x, **({"kernel_size": (k, k), "strides": (k, k)} | attributes))


def batch_norm(d: PatternDraft, x: str, c: int) -> str:
    """A normalization with constant mean and variance, then scale and offset."""
    scale, offset, mean = d.weight(c, low=0.5, high=1.5), d.weight(c), d.weight(c)
    return d.node("FusedBatchNorm", x, scale, offset, mean, d.weight(c, low=0.5, high=1.5), epsilon=1e-3)


def scale(d: PatternDraft, x: str, c: int, **attributes: Any) -> str:
    """Scale and offset per channel."""
    return d.node("ScaleFusion", x, d.weight(c, low=0.5, high=1.5), d.weight(c), **({"axis": -1} | attributes))


def transpose(d: PatternDraft, x: str, *order: int) -> str:
    """Axes in another order."""
    return d.node("Transpose", x, d.ints(*order))


def reshape(d: PatternDraft, x: str, *shape: int) -> str:
    """Reshapes a tensor."""
    return d.node("Reshape", x, d.ints(*shape))


def mean(d: PatternDraft, x: str, *axes: int, keep: bool = True) -> str:
    """The mean over axes."""
    return d.node("ReduceFusion", x, d.ints(*axes), mode="ReduceMean", keep_dims=keep)


def scalar(d: PatternDraft, value: float) -> str:
    """A constant number."""
    return d.constant(np.array(value, np.float32))


def layer_norm(d: PatternDraft, x: str, c: int, axis: int) -> str:
    """A normalization over the axes from one on, of c elements together, then scale and offset."""
    weights = d.weight(c, low=0.5, high=1.5), d.weight(c)
    return d.node("LayerNormFusion", x, *weights, begin_norm_axis=axis, begin_params_axis=axis, epsilon=1e-5)


def attended(d: PatternDraft, q: str, k: str, v: str, mask: str | None) -> str:
    """The values (batch, rows, c), weighted by the softmax of the products of queries and keys."""
    scores = d.node("MulFusion", d.node("MatMulFusion", q, k, transpose_b=True), scalar(d, 0.35))
    scores = scores if mask is None else d.node("AddFusion", scores, mask)
    return d.node("MatMulFusion", d.node("Softmax", scores, axis=(-1,)), v)

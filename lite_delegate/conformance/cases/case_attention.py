"""Conformance cases of Attention, expected values one score at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...basics.data_class import dataclass
from ..judging.case import Array, ConformanceCase

Vector = list[float]
Rows = list[Vector]


@dataclass(frozen=True)
class _Parameters:
    """Weights (F, W) and biases (W,) of query, key and value; of the output (W, O) and (O,); no biases: None."""

    weights: tuple[Array, Array, Array]
    biases: tuple[Array, Array, Array] | None
    output_weight: Array
    output_bias: Array | None


def _dense(rows: Array | Rows, weight: Array, bias: Array | None) -> Rows:
    return [
        [
            math.fsum(float(x) * float(w) for x, w in zip(row, weight[:, column], strict=True))
            + (0.0 if bias is None else float(bias[column]))
            for column in range(weight.shape[1])
        ]
        for row in rows
    ]


def _softmax(scores: Vector) -> Vector:
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def _look(queries: Rows, keys: Rows, values: Rows, scale: float, added: Array) -> Rows:
    """One head of one sequence: each query's mean of the values, weighted by what the keys score."""
    result = []
    for s, query in enumerate(queries):
        products = [math.fsum(a * b for a, b in zip(query, key, strict=True)) for key in keys]
        shares = _softmax([scale * product + float(added[s, t]) for t, product in enumerate(products)])
        columns = range(len(query))
        result.append([math.fsum(p * value[c] for p, value in zip(shares, values, strict=True)) for c in columns])
    return result


def _loop(xs: tuple[Array, Array, Array], p: _Parameters, heads: int, scale: float, added: Array) -> list[Array]:
    """The output (B, S, O), K (B, H, d, T) and V (B, H, T, d); ``added`` to the scores, (B, H, S, T)."""
    outputs, all_keys, all_values = [], [], []
    size = p.output_weight.shape[0] // heads
    biases: Sequence[Array | None] = (None, None, None) if p.biases is None else p.biases
    for b in range(len(xs[0])):
        q, k, v = (_dense(x[b], weight, bias) for x, weight, bias in zip(xs, p.weights, biases, strict=True))
        joined: Rows = [[] for _ in q]
        for h in range(heads):
            own = slice(h * size, (h + 1) * size)
            queries, keys, values = ([row[own] for row in rows] for rows in (q, k, v))
            for row, part in zip(joined, _look(queries, keys, values, scale, added[b, h]), strict=True):
                row.extend(part)
            all_keys.append([[key[c] for key in keys] for c in range(size)])
            all_values.append(values)
        outputs.append(_dense(joined, p.output_weight, p.output_bias))
    lead = (len(xs[0]), heads)
    sizes = (*xs[0].shape[:2], p.output_weight.shape[1]), (*lead, size, xs[1].shape[1]), (*lead, xs[1].shape[1], size)
    arrays = (np.array(outputs), np.array(all_keys), np.array(all_values))
    return [array.reshape(shape) for array, shape in zip(arrays, sizes, strict=True)]


def _packed(form: str, p: _Parameters) -> list[Array]:
    """The inputs after query, key and value, without position bias and mask."""
    groups: dict[str, list[tuple[int, ...]]] = {
        "separate": [(0,), (1,), (2,)],
        "self": [(0, 1, 2)],
        "cross": [(0,), (1, 2)],
    }
    inputs = [np.concatenate([p.weights[i] for i in group], axis=1) for group in groups[form]] + [p.output_weight]
    if p.biases is not None and p.output_bias is not None:
        inputs += p.biases if form == "separate" else [np.concatenate(p.biases)]
        inputs.append(p.output_bias)
    return inputs


def _parameters(rng: np.random.Generator, features: tuple[int, ...], width: int, out: int, biased: bool) -> _Parameters:
    q, k, v = (rng.normal(size=(f, width)) * 0.6 for f in features)
    biases = rng.normal(size=(3, width))
    w, b = rng.normal(size=(width, out)) * 0.5, rng.normal(size=out)
    if not biased:
        return _Parameters((q, k, v), None, w, None)
    return _Parameters((q, k, v), (biases[0], biases[1], biases[2]), w, b)


def _rounded(p: _Parameters, dtype: str) -> _Parameters:
    q, k, v = (w.astype(dtype) for w in p.weights)
    if p.biases is None or p.output_bias is None:
        return _Parameters((q, k, v), None, p.output_weight.astype(dtype), None)
    a, b, c = (x.astype(dtype) for x in p.biases)
    return _Parameters((q, k, v), (a, b, c), p.output_weight.astype(dtype), p.output_bias.astype(dtype))


def _case(
    name: str,
    form: str,
    sizes: tuple[int, int, int],
    heads: int = 2,
    size: int = 3,
    *,
    features: tuple[int, int, int] = (5, 5, 5),
    out: int | None = None,
    mask: Array | None = None,
    position_bias: Array | None = None,
    dtype: str = "float32",
    scale: float = 0.0,
    outputs: int = 1,
    head_size: int | None = None,
    flat: bool = False,
    constant: bool = True,
    factor: float = 1.0,
) -> ConformanceCase:
    """``sizes`` are B, S and T; ``flat`` leaves out the dim of a batch of one."""
    batch, queries, keys = sizes
    rng = np.random.default_rng(32 + batch + 10 * queries + 100 * keys)
    width = heads * size
    made = _parameters(rng, features, width, width if out is None else out, position_bias is None)
    p = _rounded(made, dtype)
    q, k, v = (
        (rng.normal(size=(batch, n, f)) * factor).astype(dtype)
        for n, f in zip((queries, keys, keys), features, strict=True)
    )
    extras = [x.astype(dtype) for x in (position_bias, mask) if x is not None]
    added = np.zeros((batch, heads, queries, keys))
    if position_bias is not None:
        added += position_bias.astype(dtype)
    if mask is not None:
        added += (1 - (mask if mask.ndim == 4 else mask[:, None]).astype(dtype).astype(np.float64)) * -10000
    expected = _loop((q, k, v), p, heads, scale or 1 / math.sqrt(size), added)
    if flat:
        q, k, v, expected[0] = q[0], k[0], v[0], expected[0][0]
    inputs = (q, k, v, *_packed(form, p), *extras)
    attributes: dict[str, Any] = {"head_num": heads, "head_size": size if head_size is None else head_size}
    attributes |= {"cross": form == "cross", "scale": scale}
    constants = frozenset(range(3, len(inputs) - len(extras))) if constant else frozenset()
    tolerance = {"float16": 4e-3, "float64": 1e-10}.get(dtype, 3e-5)
    results = tuple(y.astype(dtype) for y in expected[:outputs])
    return ConformanceCase(name, "Attention", inputs, results, attributes, constants, tolerance, tolerance)


def _causal(batch: int, length: int) -> Array:
    return np.tril(np.ones((batch, length, length)))


def cases() -> Iterator[ConformanceCase]:
    """Each form of the weights, masks of every shape, position biases, scales, sizes, dtypes, three outputs."""
    yield from _form_cases()
    yield from _mask_cases()
    yield from _position_bias_cases()
    yield from _size_cases()


def _form_cases() -> Iterator[ConformanceCase]:
    for form in ("separate", "self", "cross"):
        keys = 3 if form == "self" else 4
        yield _case(f"{form}_weights", form, (2, 3, keys))
        yield _case(f"{form}_weights_three_outputs", form, (2, 3, keys), outputs=3)
        yield _case(f"{form}_weights_with_mask", form, (2, 3, keys), mask=np.tril(np.ones((2, 3, keys))))
        yield _case(f"{form}_weights_not_constant", form, (1, 2, 2), constant=False)
        yield _case(f"{form}_weights_flat", form, (1, 3, keys), flat=True, outputs=3)
        for dtype in ("float16", "float64"):
            yield _case(f"{form}_weights_{dtype}", form, (2, 3, keys), dtype=dtype, outputs=3)
    yield _case("features_differ", "separate", (2, 3, 4), features=(5, 7, 3), outputs=3)
    yield _case("features_of_keys_differ", "cross", (2, 3, 4), features=(5, 7, 7))
    yield _case("output_narrower", "separate", (2, 3, 4), out=4)
    yield _case("output_wider", "self", (2, 3, 3), out=8)
    yield _case("head_size_from_the_output_weight", "self", (2, 3, 3), head_size=0, outputs=3)
    for scale in (1.0, 0.25, -0.5):
        yield _case(f"scale_{scale}", "self", (2, 3, 3), scale=scale)


def _mask_cases() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(33)
    yield _case("mask_causal", "self", (2, 4, 4), mask=_causal(2, 4))
    yield _case("mask_of_one_batch", "self", (2, 4, 4), mask=_causal(1, 4))
    yield _case("mask_of_padding", "cross", (2, 3, 4), mask=np.array([[[1, 1, 1, 0]], [[1, 0, 0, 0]]]))
    yield _case("mask_of_heads", "self", (2, 3, 3), mask=rng.integers(0, 2, size=(2, 2, 3, 3)))
    yield _case("mask_of_one_head", "self", (2, 3, 3), mask=_causal(2, 3)[:, None])
    yield _case("mask_of_fractions", "self", (2, 3, 3), mask=1 - rng.random(size=(2, 3, 3)) / 5000)
    yield _case("mask_of_nothing", "self", (1, 2, 2), mask=np.zeros((1, 2, 2)), dtype="float64")
    yield _case("mask_float16", "self", (2, 3, 3), mask=_causal(2, 3), dtype="float16")
    yield _case("mask_flat", "self", (1, 3, 3), mask=_causal(1, 3), flat=True)


def _position_bias_cases() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(34)
    bias = rng.normal(size=(1, 2, 3, 3)) * 2
    yield _case("position_bias", "self", (2, 3, 3), position_bias=bias, mask=_causal(2, 3), scale=1.0)
    yield _case("position_bias_without_mask", "self", (2, 3, 3), position_bias=bias, scale=1.0, outputs=3)
    yield _case("position_bias_cross", "cross", (2, 3, 3), position_bias=bias, mask=_causal(2, 3), scale=0.5)
    yield _case("position_bias_mask_of_heads", "self", (2, 3, 3), position_bias=bias, mask=_causal(1, 3)[None], scale=1)
    full = rng.normal(size=(2, 2, 3, 4))
    yield _case("position_bias_of_each_batch", "cross", (2, 3, 4), position_bias=full, scale=0.25)


def _size_cases() -> Iterator[ConformanceCase]:
    for heads, size in ((1, 1), (1, 8), (3, 1), (7, 2), (2, 17), (16, 1)):
        yield _case(f"heads_{heads}_of_{size}", "self", (2, 3, 3), heads, size, outputs=3)
    yield _case("one_key", "cross", (2, 3, 1))
    yield _case("one_query", "cross", (2, 1, 5))
    yield _case("batch_3", "self", (3, 2, 2))
    yield _case("one_feature", "self", (1, 2, 2), features=(1, 1, 1))
    yield _case("empty_batch", "self", (0, 3, 3), outputs=3)
    yield _case("no_query", "cross", (2, 0, 4), outputs=3)
    yield _case("large_scores", "self", (1, 4, 4), factor=40.0)
    clean = _case("nan_stays_in_its_sequence", "self", (2, 3, 3))
    (wanted,) = (y.copy() for y in clean.outputs)
    holed = [x.copy() if x is not None and i < 3 else x for i, x in enumerate(clean.inputs)]
    for x in holed[:3]:
        assert x is not None
        x[1, 2, 0] = np.nan
    wanted[1] = np.nan
    yield ConformanceCase(
        clean.name, "Attention", tuple(holed), (wanted,), clean.attributes, clean.constants, 3e-5, 3e-5
    )

"""GELU, SiLU and their hard forms as exporters write them, in random order; ONNX Runtime is the judge."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.passes.fusion.onnx_forms import Form, agree, on_onnxruntime, optimized, planned

pytest.importorskip("onnxruntime")
SHAPE = (5, 13)
NUMBERS = np.linspace(-8, 8, 65, dtype=np.float32).reshape(SHAPE)
ROOT, CUBIC = math.sqrt(2 / math.pi), 0.044715


def gated(f: Form, gate: str) -> str:
    """``0.5 x + 0.5 x gate``."""
    half, one = f.const(0.5), f.const(1.0)
    return str(
        f.one_of(
            lambda: f.product("x", half, f.sum(gate, one)),
            lambda: f.product("x", f.sum(f.product(gate, half), f.const(0.5))),
            lambda: f.op("Div", f.product("x", f.sum(one, gate)), f.const(2.0)),
            lambda: f.product(f.sum("x", f.product("x", gate)), half),
            lambda: f.sum(f.product("x", half), f.product(half, gate, "x")),
            lambda: f.op("Sub", f.product("x", half), f.product(f.const(-0.5), gate, "x")),
        )()
    )


def exact(f: Form) -> str:
    inside = f.one_of(
        lambda: f.op("Div", "x", f.const(math.sqrt(2))),
        lambda: f.product("x", f.const(math.sqrt(0.5))),
        lambda: f.product(f.const([0.707107]), "x"),
    )()
    return gated(f, f.op("Erf", inside))


def cube(f: Form) -> str:
    return str(f.one_of(lambda: f.op("Pow", "x", f.const(3.0)), lambda: f.product("x", "x", "x"),
                        lambda: f.op("Mul", f.square("x"), "x"))())  # fmt: skip


def argument(f: Form, scale: float) -> str:
    return str(
        f.one_of(
            lambda: f.product(f.const(scale), f.sum("x", f.product(f.const(CUBIC), cube(f)))),
            lambda: f.product(f.sum("x", f.product("x", f.const(CUBIC), "x", "x")), f.const(scale)),
            lambda: f.product("x", f.const(scale), f.sum(f.const(1.0), f.product(f.square("x"), f.const(CUBIC)))),
            lambda: f.product("x", f.sum(f.const(scale), f.product(f.square("x"), f.const(scale * CUBIC)))),
            lambda: f.sum(f.product("x", f.const(scale)), f.product(f.const(scale * CUBIC), cube(f))),
        )()
    )


def by_tanh(f: Form) -> str:
    return gated(f, f.op("Tanh", argument(f, ROOT)))


def by_sigmoid(f: Form) -> str:
    return f.product("x", f.op("Sigmoid", argument(f, 2 * ROOT)))


def silu(f: Form) -> str:
    def bottom() -> str:
        return f.sum(f.const(1.0), f.op("Exp", f.op("Neg", "x")))

    return str(
        f.one_of(
            lambda: f.product("x", f.op("Sigmoid", "x")),
            lambda: f.op("Div", "x", bottom()),
            lambda: f.product("x", f.op("Div", f.const(1.0), bottom())),
            lambda: f.product(f.op("Reciprocal", bottom()), "x"),
            lambda: f.product("x", f.op("Reciprocal", f.sum(f.op("Exp", f.product("x", f.const(-1.0))), f.const(1.0)))),
        )()
    )


def clamped(f: Form, x: str, low: float, high: float) -> str:
    bounds = f.const(low), f.const(high)
    return str(
        f.one_of(
            lambda: f.op("Clip", x, *bounds),
            lambda: f.op("Min", f.op("Max", x, bounds[0]), bounds[1]),
            lambda: f.op("Max", bounds[0], f.op("Min", x, bounds[1])),
        )()
    )


def hard_sigmoid(f: Form) -> str:
    return str(
        f.one_of(
            lambda: f.op("Div", clamped(f, f.sum("x", f.const(3.0)), 0, 6), f.const(6.0)),
            lambda: f.product(clamped(f, f.sum("x", f.const(3.0)), 0, 6), f.const(1 / 6)),
            lambda: clamped(f, f.sum(f.product("x", f.const(1 / 6)), f.const(0.5)), 0, 1),
            lambda: clamped(f, f.op("Div", f.sum(f.const(3.0), "x"), f.const(6.0)), 0, 1),
            lambda: f.op("HardSigmoid", "x", alpha=1 / 6, beta=0.5),
        )()
    )


def hard_swish(f: Form) -> str:
    return str(
        f.one_of(
            lambda: f.product("x", hard_sigmoid(f)),
            lambda: f.product("x", f.const(1 / 6), clamped(f, f.sum("x", f.const(3.0)), 0, 6)),
            lambda: f.op("Div", f.product("x", clamped(f, f.sum("x", f.const(3.0)), 0, 6)), f.const(6.0)),
        )()
    )


FORMS: dict[str, tuple[Callable[[Form], str], str]] = {
    "GELU by erf": (exact, "GELU"),
    "GELU by tanh": (by_tanh, "GELU"),
    "GELU by sigmoid": (by_sigmoid, "GELU"),
    "SiLU": (silu, "SWISH"),
    "hard sigmoid": (hard_sigmoid, "HSIGMOID"),
    "hard swish": (hard_swish, "HSWISH"),
}


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("name", FORMS)
def test_one_activation_in_any_order_and_grouping(name: str, seed: int) -> None:
    written, kind = FORMS[name]
    f = Form(seed, SHAPE, is_open=seed % 4 == 0)
    model = f.model(written(f))
    (node,) = optimized(model).nodes
    attributes = node.primitive.attributes()
    assert (node.op_type, attributes["activation_type"]) == ("Activation", kind)
    assert attributes["approximate"] is (name in ("GELU by tanh", "GELU by sigmoid"))
    agree(planned(model, NUMBERS)[1], on_onnxruntime(model, NUMBERS), 2e-6)


def _tanh(f: Form, scale: float = ROOT, cubic: float = CUBIC, power: float = 3.0, half: float = 0.5) -> str:
    third = f.op("Pow", "x", f.const(power))
    inside = f.product(f.const(scale), f.sum("x", f.product(f.const(cubic), third)))
    return f.product("x", f.const(half), f.sum(f.op("Tanh", inside), f.const(1.0)))


NEAR_MISSES: dict[str, Callable[[Form], str]] = {
    "another root": lambda f: _tanh(f, scale=0.8),
    "another coefficient": lambda f: _tanh(f, cubic=0.0447),
    "a square": lambda f: _tanh(f, power=2.0),
    "a whole": lambda f: _tanh(f, half=1.0),
    "an erf of x": lambda f: gated(f, f.op("Erf", "x")),
    "another x": lambda f: f.product(f.op("Sin", "x"), f.const(0.5), f.sum(
        f.op("Erf", f.op("Div", "x", f.const(math.sqrt(2)))), f.const(1.0))),
    "another argument of the sigmoid": lambda f: f.product("x", f.op("Sigmoid", f.product("x", f.const(1.6)))),
    "two and an exponential": lambda f: f.op("Div", "x", f.sum(f.const(2.0), f.op("Exp", f.op("Neg", "x")))),
    "an exponential that grows": lambda f: f.op("Div", "x", f.sum(f.const(1.0), f.op("Exp", "x"))),
    "another slope": lambda f: f.product("x", f.op("HardSigmoid", "x", alpha=0.2, beta=0.5)),
    "up to five": lambda f: f.product("x", f.const(1 / 6), clamped(f, f.sum("x", f.const(3.0)), 0, 5)),
    "one more axis": lambda f: f.product(f.const([[[0.5]]]), "x", f.sum(
        f.op("Erf", f.op("Div", "x", f.const(math.sqrt(2)))), f.const(1.0))),
}  # fmt: skip
FUSED = {"FAST_GELU", "GELU", "HSWISH", "SWISH"}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_near_misses_stay(name: str) -> None:
    f = Form(0, SHAPE)
    model = f.model(NEAR_MISSES[name](f))
    found = {n.primitive.attributes().get("activation_type") for n in optimized(model).nodes}
    assert not found & FUSED
    agree(planned(model, NUMBERS)[1], on_onnxruntime(model, NUMBERS), 2e-6)


def test_a_gate_that_others_read_keeps_the_nodes() -> None:
    f = Form(0, SHAPE)
    gate = f.op("Erf", f.op("Div", "x", f.const(math.sqrt(2))))
    model = f.model(f.op("Mul", gated(f, gate), f.op("Cos", gate)))
    assert "Erf" in [n.op_type for n in optimized(model).nodes]
    agree(planned(model, NUMBERS)[1], on_onnxruntime(model, NUMBERS), 2e-6)

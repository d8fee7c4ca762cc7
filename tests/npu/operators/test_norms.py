"""InstanceNorm, LayerNormFusion, L2NormalizeFusion and LRN: what is claimed and what is not."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lite_delegate.conformance import CaseOutcome, all_cases, run_conformance
from lite_delegate.delegate import RejectCode
from lite_delegate.ir import DataType, make_primitive
from lite_delegate.npu import NPUDelegate
from tests.npu.graphs import HostKernel, node, variable
from tests.npu.operators.limits import UNLIMITED, code_on, limited
from tests.npu.operators.test_gate import code_of

A, S, R, L = RejectCode.ATTRIBUTE, RejectCode.SHAPE, RejectCode.RANK, RejectCode.LIMIT
X = (2, 3, 4, 5)


def instance(x=X, gamma=(5,), beta=(5,), **attributes):
    inputs = [variable("x", x), variable("gamma", gamma), variable("beta", beta)]
    return node("InstanceNorm", inputs, x, **attributes)


@pytest.mark.parametrize(
    ("accepted", "rejected", "code"),
    [
        ({}, {"gamma": (4,)}, S),
        ({}, {"beta": (1, 5)}, S),
        ({"x": (2, 3, 5)}, {"x": (2, 5)}, R),
        ({}, {"x": (1, 2, 3, 4, 5)}, R),
    ],
    ids=str,
)
def test_instance_norm(accepted, rejected, code):
    assert code_of(instance(**accepted)) is None
    assert code_of(instance(**rejected)) is code


def layer(x=X, *more, outputs=(), **attributes):
    results = [variable(f"y{i}", shape) for i, shape in enumerate((x, *outputs))]
    inputs = [variable("x", x), *(None if t is None else variable("p", t) for t in more)]
    return HostKernel("norm", "LayerNormFusion", inputs, results, make_primitive("LayerNormFusion", **attributes))


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (layer(begin_norm_axis=3), None),
        (layer(begin_norm_axis=4), A),
        (layer(begin_norm_axis=-4), None),
        (layer(begin_norm_axis=-5), A),
        (layer(X, (5,), (5,), begin_norm_axis=1, begin_params_axis=3), None),
        (layer(X, (5,), (5,), begin_norm_axis=1, begin_params_axis=2), S),
        (layer(X, (4, 5), (5,), begin_norm_axis=1, begin_params_axis=2), S),
        (layer(X, (4, 5), (4, 5), begin_norm_axis=1, begin_params_axis=-2), None),
        (layer(X, (5,), (5,), begin_params_axis=4), A),
        (layer(X, (5,), begin_params_axis=3), A),
        (layer(X, None, (5,), begin_params_axis=3), A),
        (layer(X, (5,), (5,), (5,), begin_params_axis=3), A),
        (layer(outputs=((2,), (2,)), begin_norm_axis=1), None),
        (layer(outputs=((2,), (2, 3)), begin_norm_axis=1), S),
        (layer(outputs=((2, 3), (2,)), begin_norm_axis=1), S),
        (layer(outputs=((2,),), begin_norm_axis=1), A),
        (layer((), begin_norm_axis=0), A),
    ],
)
def test_layer_norm(kernel, code):
    assert code_of(kernel) is code


def length(x=X, **attributes):
    return node("L2NormalizeFusion", [variable("x", x)], x, **attributes)


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (length(), None),
        (length(axis=(1, 2)), None),
        (length(axis=(-4,)), None),
        (length(axis=(-5,)), A),
        (length(axis=(3,)), None),
        (length(axis=(4,)), A),
        (length(axis=(3, -1)), A),
        (length(axis=(3,), activation_type="SIGMOID"), None),
        (length((), axis=()), None),
    ],
)
def test_l2_normalize(kernel, code):
    assert code_of(kernel) is code


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (length(axis=(3,)), None),
        (length(axis=(-1,)), None),
        (length((5,)), None),
        (length(axis=(2,)), L),
        (length(axis=(2, 3)), L),
        (length(), L),
    ],
)
def test_l2_normalize_of_channels_only(kernel, code):
    assert code_on(limited(l2_normalize_channels_only=True), kernel) is code


@pytest.mark.parametrize(
    ("limit", "make"),
    [("moments_epsilon", instance), ("moments_epsilon", layer), ("l2_normalize_epsilon", length)],
)
@pytest.mark.parametrize(
    ("epsilon", "code"), [(1e-9, None), (float(np.float32(1e-9)), None), (2e-9, L), (1e-5, L), (0.0, L), (np.nan, L)]
)
def test_one_epsilon(limit, make, epsilon, code):
    assert code_on(limited(**{limit: 1e-9}), make(epsilon=epsilon)) is code
    assert code_on(UNLIMITED, make(epsilon=epsilon)) is None


def test_epsilon_limits_are_of_their_own_operators():
    assert code_on(limited(l2_normalize_epsilon=1e-9), instance(epsilon=1.0)) is None
    assert code_on(limited(moments_epsilon=1e-9), length(epsilon=1.0)) is None


@pytest.mark.parametrize(
    ("x", "attributes", "code"),
    [
        (X, {}, None),
        ((5,), {}, None),
        ((), {}, R),
        (X, {"depth_radius": 0}, None),
        (X, {"depth_radius": -1}, A),
        (X, {"norm_region": "ACROSS_CHANNELS"}, None),
        (X, {"norm_region": ""}, None),
        (X, {"norm_region": "WITHIN_CHANNEL"}, A),
    ],
)
def test_lrn(x, attributes, code):
    assert code_of(node("LRN", [variable("x", x)], x, **attributes)) is code


@pytest.mark.parametrize("op_type", ["InstanceNorm", "LayerNormFusion", "L2NormalizeFusion", "LRN"])
def test_integers_are_not_normalized(op_type):
    inputs = [variable("x", X, DataType.INT32)] + [variable("p", (5,), DataType.INT32)] * (
        op_type == "InstanceNorm"
    ) * 2
    assert code_of(node(op_type, inputs, X, DataType.INT32)) is RejectCode.DTYPE


@pytest.mark.parametrize("profile", ["myriad_x", "hddl"])
@pytest.mark.parametrize("op_type", ["InstanceNorm", "L2NormalizeFusion", "LayerNormFusion"])
def test_conformance_has_cases_that_vision_processors_take(op_type, profile):
    """Their only epsilon is 1e-9, so that no case with another one says anything of them."""
    cases = [case for case in all_cases() if case.op_type == op_type]
    results = run_conformance(cases, NPUDelegate(profile=profile), force=False).results
    outcomes = Counter(result.outcome for result in results if result.outcome != CaseOutcome.REJECTED)
    assert set(outcomes) <= {CaseOutcome.PASSED, CaseOutcome.OUT_OF_RANGE}
    assert outcomes[CaseOutcome.PASSED] >= (1 if op_type == "InstanceNorm" else 2)

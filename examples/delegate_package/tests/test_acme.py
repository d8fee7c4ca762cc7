"""Acme's delegate: its claims are right, and a model runs on it."""

from __future__ import annotations

from importlib.metadata import entry_points
from importlib.resources import files

import numpy as np
import pytest
from acme_delegate import AcmeDelegate

from lite_delegate import Context, Core, Delegate, Model
from lite_delegate.conformance import all_cases, run_conformance
from lite_delegate.report import partition_report

DIGITS = str(files("lite_delegate.demo") / "digits.ms")
"""A trained model that ships with lite_delegate, and has both operators."""


def built(*delegates: Delegate) -> Model:
    context = Context()
    context.set_delegates(list(delegates))
    model = Model()
    model.build_from_file(DIGITS, context=context)
    return model


def test_every_claim_is_right() -> None:
    report = run_conformance(all_cases(["LayerNormFusion", "Softmax"]), AcmeDelegate())
    assert {row.op_type for row in report.operators() if row.passed} == {"LayerNormFusion", "Softmax"}
    assert report.is_conformant, report.to_text()


def test_a_model_runs_on_the_device_and_the_cpu() -> None:
    model, reference = built(AcmeDelegate()), built()
    image = np.random.default_rng(0).random((1, 8, 8, 1), np.float32)
    (found,), (expected,) = model.predict([image]), reference.predict([image])
    np.testing.assert_allclose(found.get_data_to_numpy(), expected.get_data_to_numpy(), rtol=1e-5, atol=1e-6)
    types = {node.type for node in partition_report(model).nodes if node.subgraph is not None}
    assert types == {"LayerNormFusion", "Softmax"}


def test_a_refusal_says_the_limit_and_the_value() -> None:
    reasons = {node.type: node.reason for node in partition_report(built(AcmeDelegate())).fallback}
    assert reasons["Conv2DFusion"] == "Conv2DFusion is not one of LayerNormFusion, Softmax"


def test_the_device_is_found_by_its_name() -> None:
    if not entry_points(group="lite_delegate.delegates", name="ACME"):
        pytest.skip("the package is not installed: pip install .")
    assert "ACME" in Core().available_devices

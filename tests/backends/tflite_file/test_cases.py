"""Conformance cases as TensorFlow Lite files, run by LiteRT. ``python -m tests.tflite_out`` runs all of them."""

from __future__ import annotations

import pytest

pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite")

from lite_delegate.conformance import all_cases
from tests.tflite_out import known, outcome_of, outcomes

OWN_FORM = ("AddFusion", "Conv2DFusion", "MaxPoolFusion", "FullConnection", "PadFusion", "StridedSlice", "ReduceFusion")
LOWERED = ("Erf", "LayerNormFusion", "Select", "InstanceNorm", "ScaleFusion")
EVERY = 5
"""Of so many cases one is run here."""


@pytest.mark.parametrize("op_type", [*OWN_FORM, *LOWERED])
def test_litert_gives_what_cases_expect(op_type: str) -> None:
    chosen = list(all_cases([op_type]))[::EVERY]
    found = list(outcomes(chosen))
    wrong = [each for each in found if not each.passed and each.kind != "refused"]
    assert [each for each in wrong if each.name not in known().get(op_type, {})] == []
    assert any(each.passed for each in found)


@pytest.mark.parametrize(("op_types", "kind"), [(OWN_FORM, "direct"), (LOWERED, "lowered")])
def test_operators_have_the_form_that_is_meant(op_types: tuple[str, ...], kind: str) -> None:
    for op_type in op_types:
        case = next(case for case in all_cases([op_type]) if case.inputs[0] is not None)
        assert outcome_of(case).kind == kind, op_type

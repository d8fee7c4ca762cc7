"""The two verdicts: whether rounding explains the differences, and whether the model is usable."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from lite_delegate import DataType, InputError
from lite_delegate.compare import CompareOptions, Outcome, UsableLimits, compare
from lite_delegate.ir import Graph
from tests.compare import planted
from tests.compare.losing import built, far_from_zero, large, layer_norm, overflowing
from tests.compare.planted import Planted, Raising, scaled
from tests.runtime.graphs import chain

X = {"x": np.linspace(0.5, 3, 6, dtype=np.float32).reshape(2, 3)}
Case = tuple[Callable[[], Graph], Callable[[], dict[str, np.ndarray]]]


@pytest.mark.parametrize("case", [(layer_norm, far_from_zero), (overflowing, large)], ids=["variance", "overflow"])
def test_what_rounding_ruins_is_explained_and_not_usable(case: Case) -> None:
    graph, inputs = case
    found = compare(built(graph()), inputs())
    assert (found.explained, found.usable, found.passed) == (True, False, False)
    assert "The device rounds as promised; the model does not survive it." in found.to_text()


def test_it_passes_where_only_the_device_is_asked_about() -> None:
    found = compare(built(layer_norm()), far_from_zero(), CompareOptions(explained_only=True))
    assert (found.explained, found.usable, found.passed) == (True, False, True)


def test_the_same_model_is_usable_on_numbers_near_zero() -> None:
    """With a mean of 0 nothing cancels: E[x^2] is near 1, E[x]^2 near 0."""
    near = {"x": far_from_zero()["x"] - np.float32(100)}
    found = compare(built(layer_norm()), near)
    assert (found.explained, found.usable, found.losses) == (True, True, ())


def test_a_planted_fault_is_not_explained_though_the_model_is_usable() -> None:
    """Five per cent off are 20 log10(1 / 0.05) = 26 dB, and the cosine stays 1."""
    found = compare(planted.built(chain(3), Planted({"n1": scaled}, names=("n1",))), X)
    assert (found.explained, found.usable, found.passed) == (False, True, False)
    assert found.uses[0].cosine == pytest.approx(1, abs=1e-3)
    assert "off by more than its rounding explains, though the outputs are near enough" in " ".join(
        found.to_text().split()
    )


def test_a_fault_on_a_device_that_rounds_is_neither() -> None:
    found = compare(planted.built(chain(3), Planted({"n1": np.negative})), X)
    assert (found.explained, found.usable) == (False, False)


def test_numbers_that_leave_the_range_are_explained_and_a_fault_beside_them_is_not() -> None:
    class Half(Planted):
        """Says that it stores float16."""

        storage_dtype = DataType.FLOAT16

    x = {"x": np.array([[70_000, 60_000, 50_000], [40_000, 30_000, 20_000]], np.float32)}  # float16 ends at 65,504

    def half(y: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return y.astype(np.float16).astype(np.float32)

    honest = compare(planted.built(chain(1), Half({"n0": half})), x)
    assert (honest.outcome, honest.explained, honest.usable) == (Outcome.WRONG, True, False)
    assert "numbers leave the range of the delegate's storage type" in " ".join(honest.to_text().split())
    clamping = compare(planted.built(chain(1), Half({"n0": lambda y: half(np.minimum(y, np.float32(65504)))})), x)
    assert (clamping.outcome, clamping.explained) == (Outcome.WRONG, True)
    faulty = compare(planted.built(chain(1), Half({"n0": lambda y: half(y) * np.float32(1.05)})), x)
    assert (faulty.explained, faulty.usable) == (False, False)


def test_limits_can_be_set() -> None:
    model = planted.built(chain(1), Planted({"n0": scaled}))
    for limits, usable in (
        (UsableLimits(snr_db=26), True),
        (UsableLimits(snr_db=27), False),
        (UsableLimits(snr_db=27, cosine=0), False),
    ):
        assert compare(model, X, CompareOptions(usable=limits)).usable is usable


def test_a_subgraph_that_fails_is_not_usable_whatever_took_its_place() -> None:
    found = compare(planted.built(chain(2), Raising({"n1": scaled})), X)
    assert not found.usable
    assert "failed, and the reference's results took its place" in found.unusable[0]


def test_classes_of_an_output_that_is_not_there() -> None:
    options = CompareOptions(usable=UsableLimits(classes=("n0",)))
    with pytest.raises(InputError, match=r"no output 'n0', which was said to hold classes\. Did you mean 'n0:0'"):
        compare(planted.built(chain(1), Planted()), X, options)


@pytest.mark.parametrize("form", ["to_text", "to_markdown", "to_html"])
def test_all_forms_show_both(form: str) -> None:
    text = getattr(compare(built(layer_norm()), far_from_zero()), form)()
    for words in ("explained", "usable", "not 20", "does not survive it", "variance", "SubFusion"):
        assert words in text


def test_json_has_both() -> None:
    data = json.loads(compare(built(layer_norm()), far_from_zero()).to_json())
    assert (data["explained"], data["usable"], data["passed"], data["outcome"]) == (True, False, False, "ok")
    assert data["uses"][0]["usable"] is False
    assert data["limits"] == {"snr_db": 20.0, "cosine": 0.99, "agreement": 0.99, "floor": 1e-6, "classes": None}


def test_names_in_a_page_are_text() -> None:
    graph = chain(1)
    graph.outputs[0].name = "<script>alert(1)</script>"
    page = compare(planted.built(graph, Planted({"n0": np.negative})), X).to_html()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page

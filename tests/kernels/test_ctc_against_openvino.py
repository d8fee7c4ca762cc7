"""CTCGreedyDecoder against OpenVINO's operation."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels.built_in import built_in_kernels

ov = pytest.importorskip("openvino")


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_as_openvino_has_it(seed: int, merge: bool) -> None:
    from openvino import opset1

    rng = np.random.default_rng(seed)
    steps, batch, classes = 20, 5, int(rng.integers(2, 5))
    scores = rng.normal(size=(steps, batch, classes)).astype(np.float32)
    mask = (np.arange(steps)[:, None] < rng.integers(0, steps + 1, batch)).astype(np.float32)
    places = [opset1.parameter(a.shape, np.float32) for a in (scores, mask)]
    model = ov.Model([opset1.ctc_greedy_decoder(*places, merge)], places)
    want = ov.compile_model(model, "CPU")([scores, mask])[0]
    kernel = built_in_kernels().find("org.openvinotoolkit.CTCGreedyDecoder")
    assert kernel is not None
    got = kernel.run(scores, mask, ctc_merge_repeated=int(merge))
    np.testing.assert_array_equal(got, want)

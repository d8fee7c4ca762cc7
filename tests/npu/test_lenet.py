"""A real model, wholly on the device."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lite_delegate import Context, Model, ModelType, Tensor
from lite_delegate.npu import NPUDelegate


def test_lenet_runs_on_the_device_alone(shared_models: Path):
    context = Context()
    context.set_delegate(NPUDelegate())
    model = Model()
    model.build_from_file(str(shared_models / "lenet_tod_infer.ms"), ModelType.MINDIR_LITE, context)
    assert [node.subgraph for node in model.get_partition().nodes] == ["NpuGraph0"] * 13
    with np.load(shared_models / "lenet_tod_infer.npz") as expected:
        given = [expected[name] for name in expected.files if name.startswith("in:")]
        (want,) = (expected[name] for name in expected.files if name.startswith("out:"))
    (got,) = model.predict([Tensor(x) for x in given])
    np.testing.assert_allclose(got.data, want, rtol=0, atol=5 * 2.0**-11 * np.abs(want).max())

"""The demo's model on the built-in NPU in a process of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import lite_delegate.demo
from lite_delegate import Context, Delegate, Model
from lite_delegate.devices.registry.delegate_spec import resolve_delegate
from lite_delegate.isolated import IsolatedDelegate

DIGITS = Path(lite_delegate.demo.__file__).parent / "digits.ms"


def predicted(delegate: Delegate | None) -> np.ndarray:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    context.strict = True
    model.build_from_file(str(DIGITS), context=context)
    (x,) = model.get_inputs()
    array = np.random.default_rng(0).random(x.shape, np.float32)
    (y,) = model.predict([array])
    model.close()
    return y.get_data_to_numpy()


def test_the_numbers_are_those_of_the_delegate_itself() -> None:
    isolated = resolve_delegate("isolated:npu")
    assert isinstance(isolated, IsolatedDelegate)
    np.testing.assert_array_equal(predicted(isolated), predicted(resolve_delegate("npu")))
    assert isolated.started == 1

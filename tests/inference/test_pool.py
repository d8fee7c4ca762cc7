"""RunnerPool: runners that wait for the next prediction."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate import InputError
from lite_delegate.inference.compiling.compiling import compile_graph
from lite_delegate.inference.running.pool import RunnerPool
from lite_delegate.inference.running.runner import Runner
from lite_delegate.runtime.settings import Settings
from tests.runtime.graphs import chain


def test_a_runner_whose_inputs_were_rejected_goes_on_waiting() -> None:
    compiled, made = compile_graph(chain(1), Settings()), []

    def make() -> Runner:
        made.append(compiled.create_runner())
        return made[-1]

    pool = RunnerPool(make)
    for _ in range(3):
        with pytest.raises(InputError):
            pool.infer([np.zeros((3, 3), np.float32)])
        np.testing.assert_array_equal(pool.infer([np.ones((2, 3), np.float32)])[0], np.full((2, 3), 2))
    assert len(made) == 1

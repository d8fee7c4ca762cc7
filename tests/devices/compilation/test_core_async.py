"""Models that a core compiles in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import numpy as np
import pytest

from lite_delegate import Core, InputError, Kernel, RequestCancelled, SupportResult
from lite_delegate.testing.delegates import NamedDelegate
from tests.inference.holding import LONG
from tests.runtime.graphs import chain

X = np.zeros((2, 3), np.float32)


class Held(NamedDelegate):
    """Waits in its last answers until it may go on."""

    def __init__(self) -> None:
        super().__init__(None)
        self.seen = threading.Event()
        self.go_on = threading.Event()

    def supports(self, kernel: Kernel) -> SupportResult | None:
        self.seen.set()
        assert self.go_on.wait(LONG)
        return super().supports(kernel)


def core_with(held: Held) -> Core:
    def made(options: Mapping[str, object]) -> Held:
        return held

    core = Core()
    core.register_device("held", made)
    return core


def test_a_model_is_compiled_while_the_caller_goes_on() -> None:
    held = Held()
    job = core_with(held).compile_model_async(chain(8), "held")
    assert held.seen.wait(LONG)
    assert not job.is_done
    assert 0 < job.progress < 1
    with pytest.raises(TimeoutError, match="under way"):
        job.result(timeout=0)
    held.go_on.set()
    compiled = job.result(LONG)
    assert (job.progress, job.is_done) == (1.0, True)
    assert {node.device for node in compiled.partition.nodes} == {"held"}
    np.testing.assert_array_equal(compiled.create_infer_request().infer([X])[0], X + 36)


def test_a_cancelled_job_has_no_result() -> None:
    held = Held()
    job = core_with(held).compile_model_async(chain(8), "held")
    assert held.seen.wait(LONG)
    assert job.cancel()
    held.go_on.set()
    with pytest.raises(RequestCancelled):
        job.result(LONG)
    assert job.is_done


def test_the_properties_are_those_of_the_call_and_errors_come_with_the_result() -> None:
    properties: dict[str, object] = {"NPU_TILES": 99}
    job = Core().compile_model_async(chain(2), "NPU", properties)
    properties.clear()
    with pytest.raises(InputError, match="NPU_TILES"):
        job.result(LONG)

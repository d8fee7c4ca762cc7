"""Subgraphs are tried in a helper process, from Python."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Context,
    Delegate,
    DelegateWarning,
    FallbackError,
    Kernel,
    Model,
    RejectCode,
    Rejected,
    Supported,
    SupportResult,
)
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.npu import NPUDelegate
from lite_delegate.runtime.binding.host import CustomOperator
from lite_delegate.trying.trier import Trier
from tests.runtime.graphs import chain

from .faulty import FaultyDelegate, SeedDelegate

KERNELS = 6


def built(delegate: Delegate, seconds: float | None = 60.0, **settings: Any) -> tuple[Model, Context]:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    context.try_first = seconds
    for name, value in settings.items():
        setattr(context, name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)
        model.build_from_graph(chain(KERNELS), context)
    return model, context


def on_cpu(model: Model) -> dict[str, str]:
    return {node.name: node.reason for node in model.get_partition().nodes if node.code is RejectCode.COMPILE_FAILED}


def started(context: Context) -> int:
    assert context.trier is not None
    return context.trier.started


@pytest.mark.parametrize("kind", [OpenVINODelegate, OnnxRuntimeDelegate])
def test_delegates_of_runtimes_are_tried_with_what_was_set(kind: Any) -> None:
    pytest.importorskip(kind.name)
    delegate = kind(threads=2, options={"PERF_COUNT": "YES"})
    copied = pickle.loads(pickle.dumps(delegate))
    assert copied.property_values().given == delegate.property_values().given
    model, context = built(delegate)
    assert started(context) == 1
    assert not [note for note in model.get_partition().notes if "not tried" in note]


@pytest.mark.parametrize("kind", [FaultyDelegate, SeedDelegate])
def test_a_crash_is_a_node_that_does_not_compile(kind: type[FaultyDelegate]) -> None:
    model, context = built(kind("segfault", "prepare"))
    assert on_cpu(model) == {"n1": "the process in which it was tried ended by signal SIGSEGV"}
    # of 6, 3, 2 and 1 kernels in turn, those with the guilty one end the process: the next try starts another
    assert 2 <= started(context) <= 6
    x = np.ones((2, 3), np.float32)
    (tensor,) = model.get_inputs()
    tensor.set_data_from_numpy(x)
    (y,) = model.predict([tensor])
    alone = Model()
    alone.build_from_graph(chain(KERNELS), Context())
    (same,) = alone.get_inputs()
    same.set_data_from_numpy(x)
    np.testing.assert_array_equal(y.get_data_to_numpy(), alone.predict([same])[0].get_data_to_numpy())


def test_what_would_end_the_process_politely_is_an_error_like_any_other() -> None:
    model, _ = built(FaultyDelegate("SystemExit", "create"))
    assert on_cpu(model) == {"n1": "SystemExit: 4"}


def test_one_process_serves_all_tries_and_ends_with_context_and_model() -> None:
    gc.collect()  # the models of other tests that an exception's traceback keeps
    model, context = built(FaultyDelegate(node="none"))
    model.resize(model.get_inputs(), [[5, 3]])
    assert started(context) == 1
    assert len(multiprocessing.active_children()) == 1
    model.close()
    del model, context
    assert not multiprocessing.active_children()


def test_what_is_known_is_not_tried_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    delegate = FaultyDelegate("exit", "create", log=str(log))
    model, context = built(delegate)
    before, count = log.read_text().splitlines(), started(context)
    again = Model()
    with pytest.warns(DelegateWarning, match="exit status 3"):
        again.build_from_graph(chain(KERNELS), context)
    assert on_cpu(again) == on_cpu(model)
    assert started(context) == count
    here = {str(multiprocessing.current_process().pid)}
    assert {line.split()[0] for line in log.read_text().splitlines()[len(before) :]} == here


def test_strict_raises_and_names_the_process() -> None:
    with pytest.raises(FallbackError, match="ended with exit status 3"):
        built(FaultyDelegate("exit"), strict=True)


def test_planning_only_does_not_execute() -> None:
    model, _ = built(FaultyDelegate("exit", "execute"), plan_only=True)
    assert not on_cpu(model)


def test_a_hang_ends_at_the_time_limit() -> None:
    model, _ = built(FaultyDelegate("hang", "execute"), seconds=0.5)
    assert on_cpu(model) == {"n1": "the process in which it was tried gave no answer within 0.5 s"}


def test_no_process_for_the_simulated_npu() -> None:
    _, context = built(NPUDelegate())
    assert started(context) == 0


def test_a_delegate_that_cannot_be_sent_is_not_tried_and_the_record_says_so() -> None:
    class Local(FaultyDelegate):
        pass

    model, context = built(Local(node="none"))
    assert started(context) == 0
    (note,) = [note for note in model.get_partition().notes if "was not tried" in note]
    assert note.startswith("Delegate 'faulty' was not tried in a process of its own first: it cannot be sent")


class Homebound(FaultyDelegate):
    """Claims nothing in another process."""

    def __init__(self) -> None:
        super().__init__(node="none")
        self._home = os.getpid()

    def supports(self, kernel: Kernel) -> SupportResult:
        return Supported() if os.getpid() == self._home else Rejected(RejectCode.OPERATOR, "not at home")


def test_what_is_rejected_by_itself_counts_as_not_tried() -> None:
    model, _ = built(Homebound())
    assert len(model.get_partition().subgraphs) == 1
    (note,) = [note for note in model.get_partition().notes if "was not tried" in note]
    assert note.endswith("by itself it rejects 'n0': not at home")


def test_custom_kernels_go_with_the_graph_or_it_is_not_tried() -> None:
    trier = Trier(60.0)
    run: Any = lambda x: x  # noqa: E731  a lambda cannot be pickled
    tried = trier.tried(
        FaultyDelegate(node="none"), chain(2), {"mine": CustomOperator("mine", run, None)}, executes=True
    )
    assert tried.untried.startswith("it cannot be sent to another process")
    assert trier.started == 0


def test_it_is_off_by_default_and_takes_seconds_only() -> None:
    context = Context()
    assert context.try_first is None
    context.try_first = 3
    assert context.try_first == 3.0
    with pytest.raises(TypeError, match="number of seconds"):
        context.try_first = True
    with pytest.raises(ValueError, match="above 0"):
        context.try_first = 0

"""How often Python looks for cycles while models are loaded."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from threading import Barrier, Thread

import pytest

from lite_delegate import Context, Core, Kernel, Model, Rejected, Supported, Tensor
from lite_delegate.inference.compiling.garbage_collection import RARELY, _loads, collecting_rarely
from tests.inference.model_file.models import ExportingDelegate, weighted

USUAL = (700, 10, 10)


@pytest.fixture(autouse=True)
def before() -> Iterator[None]:
    found = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*found)


class Looking(ExportingDelegate):
    """Remembers how often Python looked while it was asked; fails where it is told to."""

    name = "LOOKING"

    def __init__(self, fails: bool = False) -> None:
        super().__init__()
        self.seen: set[tuple[int, int, int]] = set()
        self.fails = fails

    def supports(self, kernel: Kernel) -> Supported | Rejected:
        self.seen.add(gc.get_threshold())
        if self.fails:
            raise ZeroDivisionError
        return super().supports(kernel)

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        self.seen.add(gc.get_threshold())
        return super().import_kernel(data, inputs, outputs)


def test_a_core_and_a_model_load_with_few_looks() -> None:
    for_core, for_model, core = Looking(), Looking(), Core()
    core.register_device("LOOKING", lambda options: for_core)
    core.compile_model(weighted(), "HETERO:LOOKING,CPU")
    context = Context()
    context.set_delegate(for_model)
    Model().build_from_graph(weighted(), context)
    assert for_core.seen == for_model.seen == {(RARELY, 10, 10)}
    assert gc.get_threshold() == USUAL


def test_garbage_is_collected_rarely_while_a_model_is_imported() -> None:
    looking, core = Looking(), Core()
    core.register_device("LOOKING", lambda options: looking)
    data = core.compile_model(weighted(), "HETERO:LOOKING,CPU").export_model()
    looking.seen.clear()
    core.import_model(data, "HETERO:LOOKING,CPU")
    assert looking.seen == {(RARELY, 10, 10)}
    assert gc.get_threshold() == USUAL


def test_a_failure_leaves_it_as_it_was() -> None:
    looking, core = Looking(fails=True), Core()
    core.register_device("LOOKING", lambda options: looking)
    with pytest.raises(Exception, match="ZeroDivisionError"):
        core.compile_model(weighted(), "LOOKING")
    assert looking.seen == {(RARELY, 10, 10)}
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("own", [(0, 10, 10), (RARELY, 5, 5), (RARELY + 1, 5, 5)])
def test_who_looks_as_rarely_or_never_goes_on_so(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with collecting_rarely():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_what_somebody_sets_meanwhile_stays() -> None:
    with collecting_rarely():
        gc.set_threshold(900, 9, 9)
    assert gc.get_threshold() == (900, 9, 9)


def test_loads_in_other_threads_end_in_any_order() -> None:
    started, first_ended = Barrier(2), Barrier(2)
    seen = []

    def second() -> None:
        with collecting_rarely():
            started.wait(10)
            first_ended.wait(10)
            seen.append(gc.get_threshold())

    with collecting_rarely():
        thread = Thread(target=second)
        thread.start()
        started.wait(10)
    first_ended.wait(10)
    thread.join(10)
    assert seen == [(RARELY, 10, 10)]
    assert gc.get_threshold() == USUAL


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_loads_of_the_parents_other_threads_have_ended_in_a_child() -> None:
    started, forked = Barrier(2), Barrier(2)

    def load() -> None:
        with collecting_rarely():
            started.wait(10)
            forked.wait(10)

    thread = Thread(target=load)
    thread.start()
    started.wait(10)
    with collecting_rarely():
        pid = os.fork()
        if pid == 0:
            inside = gc.get_threshold()
            _loads.end()
            os._exit(0 if (inside, gc.get_threshold()) == ((RARELY, 10, 10), USUAL) else 1)
    forked.wait(10)
    thread.join(10)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

"""Visits to a delegate in a process of its own, as a user makes them, and what a failure of each hook may cost."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from lite_delegate import CacheOptions, CompiledModel, Context, Core, Delegate, LiteDelegateError, Model
from lite_delegate.isolated import IsolatedDelegate, Isolation
from tests.isolated.chains import COUNT, QUICK, chain
from tests.isolated.faulty import MEGABYTE, FaultyDelegate, FaultyWalkingDelegate, Unpicklable

WAYS = {
    "segfault": "by signal SIGSEGV",
    "abort": "by signal SIGABRT",
    "exit": "with exit status 3",
    "sys.exit": "SystemExit: 4",
    "hang": "gave no answer within",
    "leak": "ran out of memory",
    "raise": "Unpicklable",
    "answer": "",
    "print": "",
}
"""Each way to fail, and the words for it; "" where nobody need hear of it."""
SHORT = replace(QUICK, start_seconds=8, claim_seconds=2, build_seconds=2, run_seconds=2)
SMALL = replace(QUICK, memory=250 * MEGABYTE)
IMPORTED = "from tests.isolated.faulty import FaultyDelegate, fail\n\nfail({!r})\n"


@dataclass
class Visit:
    """A visit, and what came of it.

    Attributes:
        how, where: the failure.
        folder: for files.
        delegate: the delegate in its process.
        errors: errors of this package that a step raised, in words.
        lines: warnings, notes and reasons.
        results: of predictions, less the expected ones.
        on_device: how many kernels are on the device.
    """

    how: str
    where: str
    folder: Path
    delegate: IsolatedDelegate | None = None
    errors: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    results: list[float] = field(default_factory=list)
    on_device: int = 0

    @property
    def said(self) -> str:
        """All that a user reads."""
        return "\n".join([*self.errors, *self.lines])

    @property
    def told(self) -> Path:
        """A file that is there once the hook was called."""
        return self.folder / "told"

    @property
    def isolation(self) -> Isolation:
        """Limits that the failure reaches soon."""
        return {"hang": SHORT, "leak": SMALL}.get(self.how, QUICK)

    def make(self) -> IsolatedDelegate:
        """The delegate in a process of its own."""
        of: str | Callable[[], Delegate | None] = partial(FaultyDelegate, self.how, self.where, told=str(self.told))
        if self.where == "build":
            of = partial(FaultyWalkingDelegate, self.how, self.where, told=str(self.told))
        elif self.where == "import":
            file = self.folder / "importing.py"
            file.write_text(IMPORTED.format(self.how))
            of = f"{file}:FaultyDelegate"
        elif (self.how, self.where) == ("answer", "constructor"):
            of = Unpicklable  # type: ignore[assignment]
        self.delegate = IsolatedDelegate(of, isolation=self.isolation)
        return self.delegate

    @contextmanager
    def step(self) -> Iterator[None]:
        """A step that may end with an error of this package, and with no other."""
        try:
            yield
        except LiteDelegateError as e:
            self.errors.append(str(e))

    def predict(self, model: Model | CompiledModel, size: int = 4) -> None:
        """Predicts twice: with the graph kernel, and with what the first prediction has left."""
        for _ in range(2):
            x = np.arange(size, dtype=np.float32)
            found = model.predict({"x": x})[0].get_data_to_numpy() if isinstance(model, Model) else model({"x": x})[0]
            self.results.append(float(np.abs(found - (x + COUNT)).max()))

    def go(self, steps: Callable[[Visit, Model], None] | None) -> Visit:
        """Makes the delegate, compiles a model, predicts, takes the steps, and closes."""
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            delegate = self.make()
            context, model = Context(), Model()
            context.set_delegate(delegate)
            context.on_delegate_error = "fallback"
            context.cache = CacheOptions(self.folder / "cache") if steps is with_cache else None
            model.build_from_graph(chain(), context)
            self.predict(model)
            partition = model.get_partition()
            self.on_device = sum(node.device == delegate.name for node in partition.nodes)
            if steps is not None:
                steps(self, model)
            self.lines += partition.notes
            self.lines += [node.reason for node in partition.nodes]
            self.lines += [str(subgraph.error) for subgraph in partition.subgraphs]
            model.close()
            del model
            gc.collect()
        self.lines += [str(each.message) for each in given]
        return self


def core_of(delegate: IsolatedDelegate) -> Core:
    """A core that knows the delegate as MINE."""
    core = Core()
    core.register_device("MINE", lambda options: delegate)
    return core


def asking(method: str, *arguments: object) -> Callable[[Visit, Model], None]:
    """Asks the delegate."""

    def ask(visit: Visit, model: Model) -> None:
        assert visit.delegate is not None
        with visit.step():
            getattr(visit.delegate, method)(*arguments)

    return ask


def with_cache(visit: Visit, model: Model) -> None:
    """Builds the same model again, from the cache."""
    context, other = Context(), Model()
    context.set_delegate(visit.delegate)
    context.on_delegate_error = "fallback"
    context.cache = CacheOptions(visit.folder / "cache")
    other.build_from_graph(chain(), context)
    visit.predict(other)
    other.close()


def as_file(visit: Visit, model: Model) -> None:
    """Writes the compiled model to a file, and takes it from there."""
    assert visit.delegate is not None
    core = core_of(visit.delegate)
    with visit.step():
        data = core.compile_model(chain(), "HETERO:MINE,CPU").export_model()
        visit.predict(core.import_model(data, "HETERO:MINE,CPU"))


def to_board(visit: Visit, model: Model) -> None:
    """Writes the file for the device."""
    with visit.step():
        kernels = model.get_graph_kernels()
        assert visit.delegate is not None
        visit.delegate.device_file(kernels[0])


def with_requests(visit: Visit, model: Model) -> None:
    """Makes requests, as many as the device keeps busy, and lets one be profiled."""
    assert visit.delegate is not None
    with visit.step():
        compiled = core_of(visit.delegate).compile_model(chain(), "HETERO:MINE,CPU")
        requests = [compiled.create_infer_request() for _ in range(min(compiled.optimal_requests, 2))]
        for request in requests:
            request.infer({"x": np.arange(4, dtype=np.float32)})
            visit.results.append(float(np.abs(request.get_output_tensor(0).data - (np.arange(4) + COUNT)).max()))
            request.get_profiling_info()
        compiled.set_property({"SPEED": 3})
        visit.predict(compiled)
        del request, requests
        gc.collect()
        compiled.close()


def resized(visit: Visit, model: Model) -> None:
    """Predicts for another shape."""
    model.resize(model.get_inputs(), [[6]])
    visit.predict(model, 6)


def reported(visit: Visit, model: Model) -> None:
    """Plans the model without running it."""
    context, other = Context(), Model()
    context.set_delegate(visit.delegate)
    context.plan_only = True
    other.build_from_graph(chain(), context)
    visit.on_device = sum(node.subgraph is not None for node in other.get_partition().nodes)
    visit.lines += [node.reason for node in other.get_partition().nodes]


def looked_at(visit: Visit, model: Model) -> None:
    """Reads what the graph kernel says of itself."""
    name = visit.where.partition(".")[2]
    with visit.step():
        for kernel in model.get_graph_kernels():
            getattr(kernel, name)


def transfer(visit: Visit, model: Model) -> None:
    """Asks how long a tensor takes to the device."""
    asking("estimate_transfer", model.get_inputs()[0])(visit, model)


@dataclass(frozen=True)
class Hook:
    """A hook of a delegate.

    Attributes:
        steps: of a visit that reaches it, beside a prediction; None: none.
        cost: the most that a failure may cost.
    """

    cost: str
    steps: Callable[[Visit, Model], None] | None = None


NOTHING = "nothing"
"""Everything stays on the device; a warning at most."""
ANSWER = "the answer"
"""The one who asked gets an error of this package, or the default."""
SUBGRAPH = "the subgraph"
"""The CPU computes it."""
HOOKS = {
    "import": Hook(SUBGRAPH),
    "constructor": Hook(SUBGRAPH),
    "init": Hook(SUBGRAPH),
    "survey": Hook(SUBGRAPH),
    "supports": Hook(SUBGRAPH),
    "limits": Hook(NOTHING),
    "unmatched": Hook(NOTHING),
    "version": Hook(NOTHING),
    "properties": Hook(NOTHING),
    "build": Hook(SUBGRAPH),
    "create_graph_kernel": Hook(SUBGRAPH),
    "kernel.prepare": Hook(SUBGRAPH),
    "kernel.rehearse": Hook(SUBGRAPH, reported),
    "kernel.fork": Hook(SUBGRAPH),
    "kernel.bind": Hook(SUBGRAPH),
    "kernel.run": Hook(SUBGRAPH),
    "kernel.execute": Hook(SUBGRAPH),
    "kernel.resize": Hook(NOTHING, resized),
    "kernel.places": Hook(NOTHING),
    "kernel.release": Hook(NOTHING),
    "close": Hook(NOTHING),
    "cache_key": Hook(NOTHING, with_cache),
    "export_kernel": Hook(NOTHING, with_cache),
    "import_kernel": Hook(NOTHING, with_cache),
    "check_import": Hook(ANSWER, as_file),
    "device_file": Hook(ANSWER, to_board),
    "requests_that_fit": Hook(ANSWER, with_requests),
    "optimal_requests": Hook(ANSWER, asking("optimal_requests")),
    "set_run_time_properties": Hook(ANSWER, with_requests),
    "kernel.optimal_requests": Hook(ANSWER, with_requests),
    "kernel.take_request_memory": Hook(ANSWER, with_requests),
    "kernel.give_back": Hook(NOTHING, with_requests),
    "kernel.counts_performance": Hook(ANSWER, with_requests),
    "kernel.estimate": Hook(ANSWER, with_requests),
    "kernel.storage_dtype": Hook(ANSWER, looked_at),
    "kernel.resident_nbytes": Hook(ANSWER, looked_at),
    "probe": Hook(ANSWER, asking("probe")),
    "telemetry": Hook(ANSWER, asking("telemetry")),
    "reset_peak_memory": Hook(ANSWER, asking("reset_peak_memory")),
    "device_ids": Hook(ANSWER, asking("device_ids")),
    "follows_threads": Hook(ANSWER, asking("follows_threads")),
    "get_property": Hook(ANSWER, asking("get_property", "SPEED")),
    "set_property": Hook(ANSWER, asking("set_property", {"SPEED": 3})),
    "estimate_transfer": Hook(
        ANSWER, lambda visit, model: asking("estimate_transfer", model.get_inputs()[0])(visit, model)
    ),
}
"""Each hook, what reaches it, and what a failure there may cost."""
STAYS = {
    "remote_context": "memory of another process cannot be reached: an error says so",
    "configured": "another delegate is made in its place",
    "property_values": "the functions of values stay in the process",
    "kernel.memory_owner": "memory of another process cannot be reached",
    "kernel.reserve": "places in the queue of a simulated device do not pass",
}
"""Hooks that are never called there, and why."""

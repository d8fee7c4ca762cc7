"""RayEngine: workers are actors of Ray, on this machine or many."""

from __future__ import annotations

import os
import uuid
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ....errors import LiteDelegateError
from ...parts.part import write_sent_part
from ...worker.job_order import JobOrder, Task
from ..engine import BatchEngine, Event, TaskDone, TaskFailed, TaskRaised, WorkerDied, WorkerUnready
from .endings import ending_of_actor, fails_alike
from .environment import runtime_environment
from .hired_worker import HiredWorker, Phase
from .node_files import SentFile, sent_file
from .ray_package import connected, ray_package
from .ray_worker import DriverFiles, NodeSight, RayWorker, SentRows, TaskAnswer
from .resources import PLACE_SECONDS, WorkerResources

SAMPLE = 8
"""The files of the source that a node looks for."""
MARK = "_seen-by-"
"""The beginning of the name of a file in the output folder that nodes look for."""
NOTHING: Mapping[str, Any] = {}


class RayEngine(BatchEngine):
    """Workers are actors of Ray, with one task at a time. They end with this process, however it ends.

    A process that is connected to Ray stays connected. Otherwise the engine connects, and disconnects at the end.

    Args:
        workers: their number; None: as many as the cluster has room for.
        address: as for ``connected``.
        resources: of each worker, "CPU=2,GPU=1,npu=1"; without CPU as many as the model has threads.
        task_seconds: the time that a worker has for a task, before it is ended; None: no limit.
        place_seconds: the time that Ray has to start the first worker, before the job ends with the reason.
        runtime_env: of the actors, as Ray has it; the folders of this process's modules are added.
        shares_files: whether nodes see the source and the output folder; None: each node looks. Rows and parts of
            nodes that do not see them go through Ray's object store and this process.

    Raises:
        InputError: the resources are no list of names and numbers.
    """

    name = "ray"

    def __init__(
        self,
        workers: int | None = None,
        address: str | None = None,
        resources: str = "",
        task_seconds: float | None = None,
        place_seconds: float = PLACE_SECONDS,
        runtime_env: Mapping[str, Any] = NOTHING,
        shares_files: bool | None = None,
    ) -> None:
        self._wanted, self._address, self._asked = workers, address, WorkerResources.read(resources)
        self._task_seconds, self._place_seconds = task_seconds, place_seconds
        self._runtime_env, self._shares_files = runtime_env, shares_files
        self._workers: list[HiredWorker] = []
        self._queue: deque[Task] = deque()
        self._events: list[Event] = []
        self._is_connected_here = False
        self._mark = ""
        self._facts: dict[str, object] = {}
        self._sent: set[str] = set()

    def start(self, order: JobOrder, tasks: int) -> None:
        """Connects to the cluster. Actors are made when there are tasks for them."""
        self._is_connected_here = connected(self._address)
        ray = ray_package()
        self._order, self._order_sent = order, ray.put(order)
        self._model: SentFile | None = None
        self._resources = self._asked.with_cpus(order.recipe.threads)
        nodes = alive_nodes()
        self._count = max(1, min(self._wanted or self._resources.places(nodes), tasks))
        self._hired, self._id = 0, uuid.uuid4().hex[:8]
        for left in order.folder.glob(f"{MARK}*"):  # by a driver that was killed
            left.unlink(missing_ok=True)
        self._mark = str(order.folder / f"{MARK}{self._id}")
        with open(self._mark, "wb"):
            pass
        model = None if order.model_file is None else _sized(str(order.model_file))
        self._files = DriverFiles(os.getcwd(), model, tuple(map(_sized, _sample(order.source.files))), self._mark)
        environment = runtime_environment(self._runtime_env)
        self._options = {**self._resources.options, "max_restarts": 0, "runtime_env": environment}
        self._facts = {
            "workers": self._count,
            "resources": dict(self._resources.amounts),
            "nodes": len(nodes),
            "processors": sum(node.get("CPU", 0.0) for node in nodes),
        }

    @property
    def room(self) -> int:
        """The number of actors without a task; an actor that Ray has not started yet counts."""
        return self._count - len(self._queue) - sum(worker.phase is Phase.RUNS for worker in self._workers)

    def submit(self, task: Task) -> None:
        """Gives a task to an idle actor, or to the first one that is ready."""
        self._queue.append(task)
        busy = sum(worker.phase is Phase.RUNS for worker in self._workers)
        while len(self._workers) < min(self._count, busy + len(self._queue)):
            self._hired += 1
            name = f"{self._order.recipe.name} worker {self._hired} of job {self._id}"
            actor = ray_package().remote(RayWorker).options(name=name, **self._options).remote()
            self._workers.append(HiredWorker(actor, actor.look.options(name="look at files").remote(self._files)))
        self._give()

    def _give(self) -> None:
        for worker in self._workers:
            if self._queue and worker.phase is Phase.IDLE:
                self._run(worker, self._queue.popleft())

    def _run(self, worker: HiredWorker, task: Task) -> None:
        order, sight = self._order, worker.sight
        assert sight is not None
        rows = None
        if not sight.source:
            try:
                rows = SentRows.of(order.read(task.chunk))
            except (LiteDelegateError, OSError) as e:
                self._events.append(TaskFailed(task, str(e)))
                return
        probed = "" if task.probed is None else f"rows {task.probed[0]} to {task.probed[1] - 1} of "
        run = worker.actor.run.options(name=f"{order.recipe.name} {probed}chunk {task.chunk.index}")
        worker.task = task
        worker.goes_on(Phase.RUNS, run.remote(task, rows, not sight.parts))

    def wait(self, seconds: float) -> Sequence[Event]:
        """What became of tasks. Answers of actors that open the model are used, and are no events."""
        ray = ray_package()
        calls = {worker.call: worker for worker in self._workers if worker.call is not None}
        if calls and not self._events:
            ray.wait(list(calls), num_returns=1, timeout=seconds)
        if calls:
            for call in ray.wait(list(calls), num_returns=len(calls), timeout=0)[0]:
                self._heard(calls[call])
        self._end_overdue()
        self._give()
        self._give_up()
        events, self._events = self._events, []
        return events

    def _heard(self, worker: HiredWorker) -> None:
        ray = ray_package()
        try:
            answer = ray.get(worker.call)
        except ray.exceptions.RayError as e:
            self._ended(worker, e)
            return
        if worker.phase is Phase.PLACED:
            self._placed(worker, answer)
        elif worker.phase is Phase.RUNS:
            self._answered(worker, answer)
        elif answer:
            self._unready(worker, f"{answer} (on {worker.sight.host if worker.sight else ''})")
        else:
            worker.goes_on(Phase.IDLE)

    def _placed(self, worker: HiredWorker, sight: NodeSight) -> None:
        if self._shares_files is not None:
            shares = self._shares_files
            sight = NodeSight(sight.host, shares, shares, shares)
        worker.sight = sight
        if not sight.model and self._model is None and self._order.model_file is not None:
            self._model = sent_file(self._order.model_file)
        self._sent |= {name for name in ("model", "source", "parts") if not getattr(sight, name)}
        opened = worker.actor.open.options(name=f"open {self._order.recipe.name}")
        worker.goes_on(Phase.OPENS, opened.remote(self._order_sent, None if sight.model else self._model))

    def _answered(self, worker: HiredWorker, answer: TaskAnswer) -> None:
        task, worker.task = worker.task, None
        assert task is not None
        worker.goes_on(Phase.IDLE)
        if answer.facts is None:
            kind = TaskRaised if answer.is_unforeseen else TaskFailed
            self._events.append(kind(task, answer.text))
            return
        if answer.part is not None:
            try:
                write_sent_part(self._order.folder, task.chunk.index, answer.part)
            except OSError as e:
                self._events.append(TaskFailed(task, str(e)))
                return
        self._events.append(TaskDone(task, answer.facts))

    def _ended(self, worker: HiredWorker, error: BaseException) -> None:
        """An actor has ended, or its class has failed."""
        if worker.task is None:
            self._unready(worker, f"a worker ended {ending_of_actor(error)} while it opened the model", error)
            return
        self._workers.remove(worker)
        worker.kill()
        self._events.append(WorkerDied(worker.task, ending_of_actor(error)))

    def _unready(self, worker: HiredWorker, text: str, error: BaseException | None = None) -> None:
        """An actor cannot open the model. The job goes on with the other actors, if one of them could."""
        self._workers.remove(worker)
        worker.kill()
        others = any(each.phase in (Phase.IDLE, Phase.RUNS) for each in self._workers)
        if error is None and others:
            self._count = max(1, self._count - 1)
        elif self._queue:
            is_lasting = error is None or fails_alike(error)
            self._events.append(WorkerUnready(self._queue.popleft(), text, is_lasting))

    def _end_overdue(self) -> None:
        limit = self._task_seconds
        for worker in [each for each in self._workers if each.phase is Phase.RUNS]:
            if limit and worker.seconds > limit and worker.task is not None:
                self._workers.remove(worker)
                worker.kill()
                self._events.append(WorkerDied(worker.task, f"after {limit:g} s without an answer"))

    def _give_up(self) -> None:
        """No actor found a place in time: one clear line, no hang."""
        if not self._queue or any(worker.phase is not Phase.PLACED for worker in self._workers):
            return
        if all(worker.seconds > self._place_seconds for worker in self._workers):
            free = ray_package().available_resources()
            text = self._resources.why_no_place(alive_nodes(), free, self._place_seconds)
            self._events.append(WorkerUnready(self._queue.popleft(), text, is_lasting=True))

    def close(self) -> None:
        """Ends all actors; a cluster that was started here ends, too."""
        while self._workers:
            self._workers.pop().kill()
        self._queue.clear()
        if self._mark:
            with suppress(OSError):
                os.unlink(self._mark)
            self._mark = ""
        if self._is_connected_here:
            self._is_connected_here = False
            ray_package().shutdown()

    @property
    def facts(self) -> dict[str, object]:
        """The number of workers and their resources, the cluster's nodes and processors, and which files were sent."""
        return {"engine": self.name, **self._facts, "sent": sorted(self._sent)}


def alive_nodes() -> list[Mapping[str, float]]:
    """The resources of each node of the cluster that is alive."""
    return [node["Resources"] for node in ray_package().nodes() if node["Alive"]]


def _sample(files: Sequence[str]) -> list[str]:
    """Some files, at even distances, with the first and the last one."""
    count = min(SAMPLE, len(files))
    return [files[number * (len(files) - 1) // max(count - 1, 1)] for number in range(count)]


def _sized(path: str) -> tuple[str, int]:
    return path, os.stat(path).st_size

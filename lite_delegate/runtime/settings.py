"""Settings: the user's wishes that planning and executing a model depend on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from typing import Protocol

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..delegate import Delegate
from ..delegate.calls.log import LEVELS
from ..delegate.wishes import Wishes
from ..errors import InputError
from ..ir import Graph
from ..ir.types.data_type import DataType
from ..partition import PartitionOptions
from ..partition.placement import KernelTimes
from ..properties import Values
from .binding.host import CustomOperator
from .budget import Budget
from .records import is_cpu


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of trying a graph on a delegate in another process.

    Attributes:
        ended: how the process ended without an answer, "" where it answered, with an error or without.
        untried: why the graph was not tried, "" where it was.
    """

    ended: str = ""
    untried: str = ""


class GraphTrier(Protocol):
    """Tries graphs on delegates in another process."""

    def tried(
        self, delegate: Delegate, graph: Graph, customs: Mapping[str, CustomOperator], *, executes: bool
    ) -> Tried:
        """Has the graph built for a delegate there, and with ``executes`` run once on random inputs."""


@dataclass(frozen=True, slots=True, eq=False)
class Settings(Brief):
    """The user's settings at the time when a model was built or resized.

    Attributes:
        delegates: the delegates in order of preference; the CPU runs the nodes that they leave.
        cpu_backends: delegates of runtimes on the CPU: the nodes that all other delegates leave run on them where they
            are faster, see ``planning.rest``.
        measures_cpu_groups: whether groups of nodes on ``cpu_backends`` that numpy is measured to run faster go back.
        unavailable: requested devices that this runtime does not have.
        strict: whether a kernel on the CPU is an error.
        whole: the device that was asked for the whole model, as its user wrote it; "" where strict mode was asked for.
        needs_all: whether a delegate whose device is not there is an error; else its nodes are left to other devices.
        plan_only: whether the model is planned for a report only, and never runs.
        falls_back: whether CPU kernels run in place of a graph kernel that fails.
        partition: how a model is split between the delegates and the CPU.
        kernel_affinity: the devices of kernels, by the kernels' own names, beside ``partition.affinity``: a name of the
            file may stand for several kernels. For other shapes, where a delegate may claim fewer kernels, the CPU runs
            the others.
        kernel_groups: groups of kernels, by the kernels' own names, beside ``partition.groups``.
        kernel_times: the times for placement by gain, the path of a file with times, or None to measure and estimate.
        customs: the user's kernels of Custom nodes, by type.
        threads: the number that a CPU kernel may use; 0: as many as the math library takes.
        stream_threads: the number that a CPU kernel of one run may use, independently of other runs; 0: ``threads``.
        pins_threads: whether the user chooses the cores that threads run on.
        chosen_threads: the number for each run that measurements chose, where the user gives none; 0: no choice.
        precisions: the coarsest type that real numbers may be computed in, by kind of device, see ``Wishes``.
        reference_kernels: whether the CPU runs the reference kernels even where fast kernels exist.
        rewrites: whether nodes that exceed a delegate's limits are put in equal forms, see ``planning.limits``.
        folds: whether values that follow from the shapes of a plan become constants, see ``planning.preparing``.
        budget: the most memory and steps that a prediction may take.
        shared_state_buffers: whether a new value of a request's state takes the place of the old one without a copy.
        properties: the properties that were set for a delegate, by its name, each with its origin where that is known.
        counts_kernels: whether a request measures the time of each CPU kernel.
        runtime: the properties that were set for the runtime itself, each with its origin; None: no property.
        log_level: the log level of a model on devices that have no LOG_LEVEL.
        samples: the path of a file with representative inputs, for delegates that ask for them; "": none.
        trier: tries graph kernels of delegates that may end the process before they are built; None: no trial.
        notes: the first notes of the partition record: they belong to this user's call, not to the compiled model.
    """

    delegates: tuple[Delegate, ...] = ()
    cpu_backends: tuple[Delegate, ...] = ()
    measures_cpu_groups: bool = False
    unavailable: tuple[str, ...] = ()
    strict: bool = False
    whole: str = ""
    needs_all: bool = False
    plan_only: bool = False
    falls_back: bool = False
    partition: PartitionOptions = field(default_factory=PartitionOptions)
    kernel_affinity: Mapping[str, str] = field(default_factory=dict)
    kernel_groups: tuple[frozenset[str], ...] = ()
    kernel_times: KernelTimes | str | None = None
    customs: Mapping[str, CustomOperator] = field(default_factory=dict)
    threads: int = 0
    stream_threads: int = 0
    pins_threads: bool = False
    chosen_threads: int = 0
    precisions: Mapping[str, DataType] = field(default_factory=dict)
    reference_kernels: bool = False
    rewrites: bool = True
    folds: bool = True
    budget: Budget = field(default_factory=Budget)
    properties: Mapping[str, Values] = field(default_factory=dict)
    shared_state_buffers: bool = False
    counts_kernels: bool = False
    runtime: Values | None = None
    log_level: str = LEVELS[0]
    samples: str = ""
    trier: GraphTrier | None = None
    notes: tuple[str, ...] = ()

    def equals(self, other: Settings) -> bool:
        """True if the user wants the same."""
        return all(getattr(self, each.name) == getattr(other, each.name) for each in fields(self))

    @property
    def wishes(self) -> Wishes:
        """The wishes that all delegates are told."""
        return Wishes(self.run_threads, self.rewrites, self.precisions, bool(self.samples))

    @property
    def run_threads(self) -> int:
        """Threads that one run may use: the user's number, or else the chosen one; 0: the runtimes' own number."""
        return self.stream_threads or self.threads or self.chosen_threads

    @property
    def leaves_threads_open(self) -> bool:
        """Whether the user sets neither the number of threads nor their cores."""
        return not (self.threads or self.stream_threads or self.pins_threads)

    @property
    def delegate_names(self) -> tuple[str, ...]:
        """The names of the delegates, in order of preference."""
        return tuple(delegate.name for delegate in self.delegates)


def check_delegate_names(names: Iterable[str]) -> None:
    """Checks that delegates can be told apart by their names.

    Raises:
        InputError: (a ValueError) two delegates have the same name, or one has the name of the CPU.
    """
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError(
                f"Delegates must have different names, {count} are called '{name}': set the attribute 'name' of one."
            )
        if is_cpu(name):
            raise InputError(f"No delegate may be called '{name}', which is the CPU's name: set the delegate's 'name'.")

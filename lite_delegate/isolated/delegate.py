"""IsolatedDelegate: a delegate that runs in a process of its own."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..basics.failures import said
from ..basics.warned import warn
from ..delegate import Delegate, DelegateLimits, DelegateModel, DeviceFile, Kernel, SupportResult, Telemetry
from ..devices.registry.delegate_spec import resolve_delegate
from ..errors import (
    DelegateBuildError,
    DelegateClassError,
    DelegateError,
    DelegateUnavailable,
    DelegateWarning,
    InputError,
    PropertyError,
    RemoteError,
)
from ..properties import PropertySpec, Values
from ..tensors.tensor import Tensor
from .building import Built, replay, snapshot_of
from .isolation import SPECS, Isolation
from .keeper import Keeper
from .kernel import IsolatedKernel, kernel_of
from .passing.memory import packed_bytes
from .passing.messages import DelegateFacts, GraphNote
from .process import IsolatedProcess, ProcessEnded

if TYPE_CHECKING:
    from ..ir import Source
    from ..remote import RemoteContext

NO_OPTIONS: Mapping[str, object] = MappingProxyType({})
_OWN = {spec.name: spec for spec in SPECS}


class IsolatedDelegate(Delegate):
    """Runs another delegate in a process of its own: what ends or hangs that process costs a subgraph.

    The process is started at once. One that ended is started again when it is next needed, with what had been made
    there, at most ``Isolation.restarts`` times. It ends when nobody has this object any more, and with this process.

    Args:
        of: the delegate: a SPEC as commands take it ("npu", "my_delegate.py:MyDelegate"), or a class or function that
            can be pickled and makes it without arguments. A script that has it needs ``if __name__ == "__main__":``.
        options: the delegate's options, where ``of`` is a SPEC, and those of the isolation, such as ``python``.
        isolation: the interpreter and the limits.

    Raises:
        InputError: (a ValueError) the SPEC names no delegate, or an unknown option or value.
    """

    name = "isolated"
    may_end_process = False

    def __init__(
        self,
        of: str | Callable[[], Delegate | None],
        options: Mapping[str, object] = NO_OPTIONS,
        isolation: Isolation | None = None,
    ) -> None:
        settings, rest = (isolation or Isolation()).with_options(options)
        if isinstance(of, str):
            self.name = _name_of(of)
            make: Callable[[], Delegate | None] = partial(
                resolve_delegate, of, {key: str(value) for key, value in rest.items()}
            )
        else:
            make = of
            self.name = getattr(getattr(of, "func", of), "name", self.name)
        if rest and not isinstance(of, str):
            raise InputError(f"Options go with a SPEC; got {', '.join(rest)} with {of!r}.")
        self._keeper = Keeper(settings, pickle.dumps(make))
        self.has_own_process = not settings.python  # the process that tries has this interpreter
        self.remake = make
        self._unusable = ""
        self._builds = False
        self._silent: set[str] = set()
        self._start_first()

    def __reduce__(self) -> tuple[Any, ...]:
        """The maker and the isolation: another process has an isolated process of its own."""
        return type(self), (self.remake, {}, self.isolation), {"name": self.name}

    def _start_first(self) -> None:
        try:
            _, facts = self._keeper.begin()
        except DelegateClassError as e:
            if e.__cause__ is None:  # the user's mistake, not a failure of the delegate's code
                raise
            self._unusable = str(e)
        except DelegateError as e:
            self._unusable = str(e)
        else:
            assert facts is not None
            self._learn(facts)
            self.name = str(facts.attributes["name"])

    @property
    def isolation(self) -> Isolation:
        """The interpreter and the limits."""
        return self._keeper.isolation

    @property
    def started(self) -> int:
        """How many processes there have been."""
        return self._keeper.started

    @property
    def output(self) -> str:
        """The last that the process has printed, to standard output or standard error."""
        last = self._keeper.last
        return "" if last is None else last.output

    def _learn(self, facts: DelegateFacts) -> None:
        """Takes over the attributes of the delegate, except for its name: somebody may have given it another one."""
        for name, value in facts.attributes.items():
            if name != "name":
                setattr(self, name, value)
        self._builds = facts.builds

    def _asked(self, method: str, otherwise: Any) -> Any:
        """What the delegate says where it can; a failure is a warning, once, and it is not asked again."""
        if self._unusable or method in self._silent:
            return otherwise
        try:
            return self._keeper.ask("delegate", method, named=method)
        except DelegateError as e:
            self._say_silent(method, e)
            return otherwise

    def _say_silent(self, method: str, error: DelegateError) -> None:
        self._silent.add(method)
        warn(DelegateWarning(f"Delegate '{self.name}': {method} failed, and is not asked again: {said(error)}."))

    @property
    def overrides_build(self) -> bool:
        """Whether the delegate has a ``build`` of its own."""
        return self._builds

    def init(self) -> None:
        """``init`` of the delegate.

        Raises:
            DelegateUnavailable: the device is not there; or ``init`` failed, or the process ended or does not start.
        """
        if self._unusable:
            raise DelegateUnavailable(self._unusable)
        self._keeper.name = self.name
        try:
            self._learn(self._keeper.ask("init", self.name, seconds=self.isolation.start_seconds))
        except DelegateUnavailable:
            raise
        except DelegateError as e:
            raise DelegateUnavailable(f"init failed: {said(e)}") from e
        self._keeper.inits += 1

    def close(self) -> None:
        """``close`` of the delegate, where its process is there.

        Raises:
            DelegateError: that failed.
        """
        self._keeper.inits = max(self._keeper.inits - 1, 0)
        process = self._keeper.present
        if process is not None:
            process.later("delegate", "close", seconds=self.isolation.claim_seconds, named="close")

    def probe(self) -> str | None:
        """``probe`` of the delegate; why its process does not start, or ended."""
        if self._unusable:
            return self._unusable
        try:
            found: str | None = self._keeper.ask("delegate", "probe", named="probe")
        except DelegateError as e:
            return said(e)
        return found

    def telemetry(self) -> Telemetry | None:
        """``telemetry`` of the delegate."""
        found: Telemetry | None = self._asked("telemetry", None)
        return found

    def reset_peak_memory(self) -> None:
        """``reset_peak_memory`` of the delegate."""
        self._keeper.ask("delegate", "reset_peak_memory", named="reset_peak_memory")

    def remote_context(self) -> RemoteContext:
        """None: memory of a device in another process cannot be reached.

        Raises:
            RemoteError: always.
        """
        raise RemoteError(f"Device '{self.name}' runs in a process of its own: its memory cannot be reached from here.")

    def device_ids(self) -> Sequence[str]:
        """``device_ids`` of the delegate."""
        found: Sequence[str] = self._asked("device_ids", ())
        return found

    def properties(self) -> Sequence[PropertySpec]:
        """The properties of the isolation, ``SPECS``, and those of the delegate."""
        if self._unusable or "properties" in self._silent:
            return SPECS
        try:
            return (*SPECS, *self._keeper.ask("properties"))
        except DelegateError as e:
            self._silent.add("properties")
            warn(DelegateWarning(f"Delegate '{self.name}': its properties are not known: {said(e)}."))
            return SPECS

    def get_property(self, name: str) -> object:
        """The value of a property of the isolation or of the delegate.

        Raises:
            PropertyError: the property is unknown, or the delegate failed.
        """
        if name in _OWN:
            return self.isolation.value(name)
        with _as_property_error(name):
            return self._keeper.ask("delegate", "get_property", name, named="get_property")

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties of the isolation and of the delegate.

        Raises:
            PropertyError: a property or value is unknown, or the delegate failed.
        """
        own = {name: value for name, value in properties.items() if name in _OWN}
        if read_only := next((name for name in own if _OWN[name].kind is None), None):
            raise PropertyError(f"Property {read_only} can only be read.")
        isolation, _ = self.isolation.with_options(own)
        rest = {name: value for name, value in properties.items() if name not in own}
        if rest:
            with _as_property_error(next(iter(rest))):
                self._learn(self._keeper.ask("set_property", rest))
            self._keeper.settings.update(rest)
        self._keeper.isolation = isolation

    def set_run_time_properties(self, kernels: Sequence[Kernel], properties: Mapping[str, object]) -> None:
        """``set_run_time_properties`` of the delegate, and those of the isolation.

        Raises:
            DelegateError: that failed.
        """
        own = {name: value for name, value in properties.items() if name in _OWN}
        rest = {name: value for name, value in properties.items() if name not in own}
        self.set_property(own)
        if rest:
            self._learn(self._keeper.ask("set_run_time_properties", _numbers(kernels), rest))

    def property_values(self) -> Values | None:
        """None: values with the functions that belong to them stay in the process."""
        return None

    def survey(self, kernels: Sequence[Kernel]) -> None:
        """``survey`` of the delegate, which may compile as long as a build.

        Raises:
            DelegateError: it failed, or ended the process.
        """
        seconds = self.isolation.build_seconds
        self._keeper.ask("survey", describe=lambda d: (tuple(map(d.kernel, kernels)),), seconds=seconds)

    def supports(self, kernel: Kernel) -> SupportResult | None:
        """``supports`` of the delegate.

        Raises:
            DelegateError: it failed, or ended the process.
        """
        answer: SupportResult | None = self._keeper.ask("supports", describe=lambda d: (d.kernel(kernel),))
        return answer

    def limits(self) -> DelegateLimits:
        """``limits`` of the delegate; none where that fails."""
        found: DelegateLimits = self._asked("limits", DelegateLimits())
        return found

    def unmatched(self, kernels: Sequence[Kernel], removed: Sequence[Source]) -> Sequence[str]:
        """``unmatched`` of the delegate; nothing where that fails."""
        with suppress(DelegateError):
            found: Sequence[str] = self._keeper.ask(
                "unmatched", describe=lambda d: (tuple(map(d.kernel, kernels)), tuple(removed))
            )
            return found
        return ()

    def version(self) -> str:
        """``version`` of the delegate; one that no other equals where that fails."""
        found: str | None = self._asked("version", None)
        return f"isolated, unknown {id(self)}" if found is None else f"isolated, {found}" if found else found

    def follows_threads(self) -> bool:
        """``follows_threads`` of the delegate."""
        return bool(self._asked("follows_threads", False))

    def optimal_requests(self) -> int:
        """``optimal_requests`` of the delegate."""
        return int(self._asked("optimal_requests", 1))

    def requests_that_fit(self, kernels: Sequence[Kernel]) -> int | None:
        """``requests_that_fit`` of the delegate; None where that fails."""
        if "requests_that_fit" in self._silent:
            return None
        try:
            found: int | None = self._keeper.ask("requests_that_fit", _numbers(kernels))
        except DelegateError as e:
            self._say_silent("requests_that_fit", e)
            return None
        return found

    def estimate_transfer(self, tensor: Tensor) -> float | None:
        """``estimate_transfer`` of the delegate; None where that fails."""
        with suppress(DelegateError):
            found: float | None = self._keeper.ask("estimate_transfer", describe=lambda d: d.loose([tensor]))
            return found
        return None

    def build(self, model: DelegateModel) -> None:
        """``build`` of the delegate, or one graph kernel for each planned run where it has none of its own.

        Raises:
            DelegateError: it failed, or ended the process.
        """
        if not self._builds:
            super().build(model)
            return
        process = self._keeper.process()
        built = Built(self._keeper, model, process)
        seconds = self.isolation.build_seconds
        process.call("build", seconds=seconds, describe=lambda d: (built.snapshot(),), heard=built.hear)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """``create_graph_kernel`` of the delegate.

        Raises:
            DelegateError: it failed, or ended the process.
        """
        process, made_of = self._keeper.process(), snapshot_of(model)
        recipe = replay(self._keeper, made_of, run, "create")
        return kernel_of(self._keeper, recipe(process), process, recipe, run)

    def cache_key(self) -> Mapping[str, str] | None:
        """``cache_key`` of the delegate; None where that fails: nothing is kept."""
        found: Mapping[str, str] | None = self._asked("cache_key", None)
        return found

    def check_import(self, key: Mapping[str, str]) -> None:
        """``check_import`` of the delegate.

        Raises:
            DelegateError: the graph kernels cannot be imported.
        """
        self._keeper.ask("delegate", "check_import", dict(key), named="check_import")

    def export_kernel(self, kernel: Kernel) -> bytes | None:
        """``export_kernel`` of the delegate.

        Raises:
            DelegateError: it failed, or ended the process.
        """
        assert isinstance(kernel, IsolatedKernel)
        process, number = kernel.there()
        found: bytes | None = process.call("export_kernel", number, seconds=self.isolation.build_seconds)
        return found

    def device_file(self, kernel: Kernel) -> DeviceFile | None:
        """``device_file`` of the delegate; None for graph kernels of other delegates.

        Raises:
            DelegateError: it failed, or ended the process.
        """
        if not isinstance(kernel, IsolatedKernel):
            return None
        process, number = kernel.there()
        found = process.call("device_file", number, seconds=self.isolation.build_seconds)
        return None if found is None else DeviceFile(*found)

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        """``import_kernel`` of the delegate.

        Raises:
            DelegateError: it failed, or ended the process.
        """

        def recipe(process: IsolatedProcess) -> GraphNote:
            with packed_bytes(data) as descriptor:
                note: GraphNote = process.call(
                    "import_kernel",
                    seconds=self.isolation.build_seconds,
                    describe=lambda d: (d.loose(inputs), d.loose(outputs)),
                    descriptors=(descriptor,),
                )
            return note

        process = self._keeper.process()
        try:
            return kernel_of(self._keeper, recipe(process), process, recipe)
        except ProcessEnded as e:
            raise DelegateBuildError(str(e)) from e


def _name_of(spec: str) -> str:
    """The name of a delegate that was never made: its device, or its class."""
    word, _, rest = spec.rpartition(":")
    return rest if "." in word else spec.partition(":")[0]


def _numbers(kernels: Sequence[Kernel]) -> list[int]:
    """The numbers of a delegate's graph kernels in its process."""
    return [kernel.there()[1] for kernel in kernels if isinstance(kernel, IsolatedKernel)]


@contextmanager
def _as_property_error(name: str) -> Any:
    try:
        yield
    except DelegateError as e:
        raise PropertyError(f"Property {name}: {said(e)}.") from e

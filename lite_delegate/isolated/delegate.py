"""IsolatedDelegate: a delegate that runs in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..delegate import Delegate, DelegateModel, DeviceFile, Kernel, SupportResult
from ..errors import DelegateBuildError, DelegateError
from ..tensors.tensor import Tensor
from .building import Built, replay, snapshot_of
from .device import IsolatedDevice
from .isolation import Isolation
from .keeper import Keeper
from .kernel import IsolatedKernel, kernel_of
from .maker import maker_of, name_of, pickled
from .passing.memory import packed_bytes
from .passing.messages import GraphNote
from .process import IsolatedProcess, ProcessEnded

if TYPE_CHECKING:
    from ..ir import Source

NO_OPTIONS: Mapping[str, object] = MappingProxyType({})


class IsolatedDelegate(IsolatedDevice):
    """Runs another delegate in a process of its own: what ends or hangs that process costs a subgraph.

    The process is started at once. One that ended is started again when it is next needed, with what had been made
    there, at most ``Isolation.restarts`` times. It ends when nobody has this object any more, and with this process.

    Args:
        of: the delegate: a SPEC as commands take it ("npu", "my_delegate.py:MyDelegate"), or a class or function that
            can be pickled and makes it without arguments. A script that has it needs ``if __name__ == "__main__":``.
        options: of the isolation, such as ``python``, and of the delegate where ``of`` is a SPEC or a class.
        isolation: the interpreter and the limits.

    Raises:
        InputError: (a ValueError) the SPEC names no delegate, an option or value is unknown, or another process cannot
            import the class or function.
    """

    def __init__(
        self,
        of: str | Callable[[], Delegate | None],
        options: Mapping[str, object] = NO_OPTIONS,
        isolation: Isolation | None = None,
    ) -> None:
        settings, rest = (isolation or Isolation()).with_options(options)
        self.remake = make = maker_of(of, rest)
        self.has_own_process = not settings.python  # the process that tries has this interpreter
        super().__init__(Keeper(settings, pickled(make, of)), name_of(of))

    def __reduce__(self) -> tuple[Any, ...]:
        """The maker and the isolation: another process has an isolated process of its own."""
        return type(self), (self.remake, {}, self.isolation), {"name": self.name}

    @property
    def overrides_build(self) -> bool:
        """Whether the delegate has a ``build`` of its own."""
        return self._builds

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

    def unmatched(self, kernels: Sequence[Kernel], removed: Sequence[Source]) -> Sequence[str]:
        """``unmatched`` of the delegate; nothing where that fails."""
        with suppress(DelegateError):
            found: Sequence[str] = self._keeper.ask(
                "unmatched", describe=lambda d: (tuple(map(d.kernel, kernels)), tuple(removed))
            )
            return found
        return ()

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

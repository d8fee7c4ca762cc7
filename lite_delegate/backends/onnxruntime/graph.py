"""The graph kernel around a session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from weakref import ref

from ...basics.data_class import dataclass
from ...delegate import LayerTime
from ...tensors.tensor import Array
from ..exchanged_buffers import exchanged
from ..graph import RunFunction, RuntimeGraph
from .sessions.assigned import places_of
from .sessions.layers import LayerCounter, WholeModel, layers_of, measured
from .sessions.properties import CPU_PROVIDER
from .sessions.session import SessionSettings, session_of


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A session as graph kernels use it.

    Attributes:
        session: ONNX Runtime's session.
        inputs: names of the inputs of each run, in order.
        outputs: names of the outputs.
        fed: inputs that are the same in each run, by name.
    """

    session: Any
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    fed: Mapping[str, Array]


def loaded(session: Any, constants: Sequence[Array] = ()) -> Loaded:
    """A session whose last inputs are constants."""
    names = tuple(each.name for each in session.get_inputs())
    count = len(names) - len(constants)
    outputs = tuple(each.name for each in session.get_outputs())
    return Loaded(session, names[:count], outputs, dict(zip(names[count:], constants, strict=True)))


class SharedSession:
    """The model that the graph kernels of one run share, and its session once it is made.

    Args:
        model: the ONNX model.
        settings: of the session.

    Attributes:
        counter: the measured times of the layers.
    """

    def __init__(self, model: WholeModel, settings: SessionSettings) -> None:
        self.model, self.settings = model, settings
        self.counter = LayerCounter()
        self.loaded: Loaded | None = None
        self.places: Mapping[str, str] = {}

    @property
    def session(self) -> Any:
        """ONNX Runtime's session; None before it is made."""
        return None if self.loaded is None else self.loaded.session

    def load(self) -> None:
        """Makes the session.

        Raises:
            DelegateBuildError: ONNX Runtime cannot run the model.
            KernelsNotTaken: another provider than the CPU's leaves kernels of the model to ONNX Runtime's CPU.
        """
        self.loaded = loaded(self.made_session(self.settings))

    def made_session(self, settings: SessionSettings) -> Any:
        """A session."""
        whole = self.whole()
        session = session_of(whole.content, whole.outside, settings)
        self.places = places_of(session, settings, whole.written)
        return session

    def layers(self, inputs: Sequence[Array]) -> list[LayerTime]:
        """The times of the layers, measured at the first call for inputs of these shapes."""

        def measuring(prefix: Path) -> Any:
            return self.made_session(replace(self.settings, profile=str(prefix)))

        return self.counter.layers(inputs, lambda: layers_of(measured(measuring, inputs), self.whole().written))

    def made_shapes(self, count: int) -> Iterable[tuple[int, Sequence[object]]]:
        """The shapes of the session's outputs, see ``SharedModel``."""
        return enumerate([] if self.session is None else [each.shape for each in self.session.get_outputs()])

    def unload(self) -> None:
        """Lets the session go; its memory goes with it."""
        self.loaded = None

    def whole(self) -> WholeModel:
        """The model with the constants and for the shapes of this plan."""
        return self.model


class BoundSession:
    """A session with the buffers of one graph kernel: only exchanged buffers are bound anew.

    The CPU provider reads inputs where they are. For other providers ONNX Runtime copies an input when it is bound,
    so inputs are bound for each run.

    Args:
        loaded: the session.
    """

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self._session = loaded.session
        self._binding = loaded.session.io_binding()
        self._names = loaded.inputs, loaded.outputs
        self._is_read_in_place = loaded.session.get_providers() == [CPU_PROVIDER]
        for name, array in loaded.fed.items():
            self._binding.bind_cpu_input(name, array)
        self._read: dict[str, ref[Array]] = {}
        self._written: dict[str, ref[Array]] = {}

    def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> RunFunction:
        """The call that runs the session over the buffers."""
        read, written = self._names
        given = list(zip(read, inputs, strict=True))
        if self._is_read_in_place:
            self._bind_inputs(exchanged(self._read, given))
        for name, array in exchanged(self._written, zip(written, outputs, strict=True)):
            self._binding.bind_output(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        run: RunFunction = partial(self._session.run_with_iobinding, self._binding)
        return run if self._is_read_in_place else partial(self._run_with, given, run)

    def _run_with(self, given: Iterable[tuple[str, Array]], run: RunFunction) -> None:
        self._bind_inputs(given)
        run()

    def _bind_inputs(self, given: Iterable[tuple[str, Array]]) -> None:
        for name, array in given:
            self._binding.bind_cpu_input(name, array)


class OnnxRuntimeGraph(RuntimeGraph[SharedSession]):
    """One run as a session of ONNX Runtime."""

    runtime = "ONNX Runtime"
    kind = "OnnxRuntime"
    _binding: BoundSession | None = None

    def bound(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> RunFunction:
        """The call that runs the session, which may have changed since the last call."""
        now = self.shared.loaded
        if self._binding is None or self._binding.loaded is not now:
            assert now is not None
            self._binding = BoundSession(now)
        return self._binding.bind(inputs, outputs)

    def places(self) -> Mapping[str, str]:
        """The execution providers that run the kernels, as the session says."""
        return self.shared.places

    def layers(self, inputs: Sequence[Array]) -> Sequence[LayerTime]:
        """The times of the layers, measured once for inputs of these shapes."""
        return self.shared.layers(inputs)

    def unbind(self) -> None:
        """Lets the buffers go."""
        self._binding = None

"""The graph kernel around a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from weakref import ref

from ...data_class import dataclass
from ...delegate import BoundKernel, LayerTime, tell_layers
from ...errors import DelegateExecuteError
from ...tensor import Array, Tensor
from ..exchanged import exchanged
from .layers import LayerCounter, WholeModel
from .session import SessionSettings, session_of


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A session as graph kernels use it.

    Attributes:
        session: ONNX Runtime's.
        inputs: names of what each run is given, in order.
        outputs: names of what it gives.
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


class Prepared:
    """What graph kernels of one run share: the model, and its session once it is made.

    Args:
        model: the ONNX model.
        settings: of the session.
    """

    def __init__(self, model: WholeModel, settings: SessionSettings) -> None:
        self.model, self.settings = model, settings
        self._counter = LayerCounter()
        self.loaded: Loaded | None = None

    @property
    def session(self) -> Any:
        """ONNX Runtime's session; None before it is made."""
        return None if self.loaded is None else self.loaded.session

    def load(self) -> None:
        """Makes the session.

        Raises:
            DelegateBuildError: ONNX Runtime cannot run the model.
        """
        self.loaded = loaded(self.made_session(self.settings))

    def made_session(self, settings: SessionSettings) -> Any:
        """A session."""
        whole = self.whole()
        return session_of(whole.content, whole.outside, settings)

    def layers(self, inputs: Sequence[Array]) -> list[LayerTime]:
        """What the layers take, measured at the first call for inputs of these shapes."""

        def measuring(prefix: Path) -> Any:
            return self.made_session(replace(self.settings, profile=str(prefix)))

        return self._counter.layers(self.whole().written, measuring, inputs)

    def unload(self) -> None:
        """Lets the session go; its memory goes with it."""
        self.loaded = None

    def whole(self) -> WholeModel:
        """The model with the constants and for the shapes of this plan."""
        return self.model


class BoundSession:
    """A session with the buffers of one graph kernel: only what was exchanged is bound anew.

    Args:
        loaded: the session.
    """

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self._session = loaded.session
        self._binding = loaded.session.io_binding()
        self._names = loaded.inputs, loaded.outputs
        for name, array in loaded.fed.items():
            self._binding.bind_cpu_input(name, array)
        self._read: dict[str, ref[Array]] = {}
        self._written: dict[str, ref[Array]] = {}

    def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object]:
        """What runs the session over the buffers."""
        read, written = self._names
        for name, array in exchanged(self._read, zip(read, inputs, strict=True)):
            self._binding.bind_cpu_input(name, array)
        for name, array in exchanged(self._written, zip(written, outputs, strict=True)):
            self._binding.bind_output(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        return self.run

    def run(self) -> None:
        """Runs the session over what was bound last."""
        self._session.run_with_iobinding(self._binding)


class OnnxRuntimeGraph(BoundKernel):
    """One run as a session of ONNX Runtime.

    Args:
        name: of the graph kernel.
        inputs: what the run reads.
        outputs: what it gives.
        prepared: shared by all forks.
    """

    has_own_threads = True

    def __init__(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], prepared: Prepared) -> None:
        super().__init__(name, "OnnxRuntime", inputs, outputs)
        self.shared = prepared
        self._bound: BoundSession | None = None

    def prepare(self) -> None:
        """Makes the session, which packs weights as ONNX Runtime wants them."""
        self.shared.load()

    def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object]:
        """What runs the session. Inputs are read, and outputs written, where they are.

        Raises:
            DelegateExecuteError: ONNX Runtime failed, now or in the run; the message is its own.
        """
        try:
            now = self.shared.loaded
            if self._bound is None or self._bound.loaded is not now:
                assert now is not None
                self._bound = BoundSession(now)
            run = self._bound.bind(inputs, outputs)
        except Exception as e:  # ONNX Runtime's exceptions have no common type
            raise self._failed(e) from e

        def guarded() -> None:
            try:
                run()
            except Exception as e:
                raise self._failed(e) from e

        return partial(self._counted, guarded, inputs) if self.shared.settings.counts_layers else guarded

    def _counted(self, run: Callable[[], object], inputs: Sequence[Array]) -> None:
        """Runs, and tells what the layers take."""
        run()
        try:
            layers = self.shared.layers(inputs)
        except Exception as e:
            raise self._failed(e) from e
        tell_layers(self.name, layers)

    def _failed(self, error: Exception) -> DelegateExecuteError:
        """What a failure of ONNX Runtime is raised as; the next run has a binding of its own."""
        self._bound = None
        return DelegateExecuteError(f"ONNX Runtime failed in '{self.name}': {error}")

    def fork(self, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> OnnxRuntimeGraph:
        """One that shares the session."""
        return OnnxRuntimeGraph(self.name, [t for t in inputs if t is not None], outputs, self.shared)

    def release(self) -> None:
        """Lets the session go."""
        self.shared.unload()

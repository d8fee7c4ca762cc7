"""The graph kernel around interpreters of LiteRT."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np

from ...basics.data_class import dataclass
from ...delegate import LayerTime
from ...errors import KernelsNotTaken
from ...tensors.tensor import Array
from ..graph import RunFunction, RuntimeGraph
from ..tflite_file.tflite_run import TfliteRunFile
from .package import InterpreterSettings, interpreter_of
from .replaced import left_operators

LITERT = "LiteRT"
OWN_KERNELS = "LiteRT's own kernels"


@dataclass(frozen=True, slots=True)
class NoCounts:
    """LiteRT's Python package does not measure layers."""

    counts_layers: bool = False


class SharedFile:
    """The file that the graph kernels of one run share. Each graph kernel has an interpreter of its own.

    Args:
        run: the run as a file.
        interpreters: the settings of interpreters.
        name: the device in words.
    """

    settings = NoCounts()

    def __init__(self, run: TfliteRunFile, interpreters: InterpreterSettings, name: str) -> None:
        self.run, self.interpreters, self.name = run, interpreters, name
        self.places: Mapping[str, str] = {}
        self._first: Any = None
        self._taking = Lock()

    def load(self) -> None:
        """Makes the first interpreter, and checks that an external delegate takes all kernels.

        Raises:
            DelegateBuildError: LiteRT cannot run the file.
            KernelsNotTaken: the external delegate leaves kernels to LiteRT.
        """
        made = interpreter_of(self.run.content, self.interpreters)
        left: dict[str, list[str]] = {}
        for operator, result in left_operators(made):
            left.setdefault(self.run.maker_of(result) or operator, []).append(operator)
        if self.interpreters.library:
            self._check_taken(left)
        self.places = {"": self.name, **dict.fromkeys(left, LITERT)}
        self._first = made

    def _check_taken(self, left: Mapping[str, Sequence[str]]) -> None:
        if left:
            reasons = {
                kernel: f"'{self.name}' leaves {', '.join(dict.fromkeys(operators))} to {OWN_KERNELS}"
                for kernel, operators in left.items()
            }
            raise KernelsNotTaken(f"'{self.name}' leaves kernels to {OWN_KERNELS}: {', '.join(left)}", reasons)

    def interpreter(self) -> Any:
        """An interpreter for one graph kernel: the first one, then new ones.

        Raises:
            DelegateBuildError: LiteRT cannot run the file.
        """
        with self._taking:
            found, self._first = self._first, None
        return interpreter_of(self.run.content, self.interpreters) if found is None else found

    def made_shapes(self, count: int) -> Iterable[tuple[int, Sequence[object]]]:
        """The shapes of the outputs, see ``SharedModel``."""
        if self._first is None:
            return ()
        return enumerate([int(dim) for dim in each["shape"]] for each in self._first.get_output_details())

    def unload(self) -> None:
        """Lets the interpreter go."""
        self._first = None


class LiteRTGraph(RuntimeGraph[SharedFile]):
    """One run as an interpreter of LiteRT."""

    runtime = "LiteRT"
    kind = "LiteRT"
    _interpreter: Any = None

    def bound(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> RunFunction:
        """The call that copies inputs into the interpreter, runs it, and copies the outputs."""
        if self._interpreter is None:
            self._interpreter = self.shared.interpreter()
        made = self._interpreter
        read = [int(each["index"]) for each in made.get_input_details()]
        given = [made.tensor(each["index"]) for each in made.get_output_details()]

        def run() -> None:
            for index, array in zip(read, inputs, strict=True):
                made.set_tensor(index, array)
            made.invoke()
            for array, view in zip(outputs, given, strict=True):
                _copy_result(view(), array)  # the interpreter does not run while a view lives

        return run

    def places(self) -> Mapping[str, str]:
        """What runs the kernels: XNNPACK or the external delegate, else LiteRT itself, as the interpreter says."""
        return self.shared.places

    def layers(self, inputs: Sequence[Array]) -> Sequence[LayerTime]:
        """None: LiteRT's Python package does not measure layers."""
        return ()

    def unbind(self) -> None:
        """Lets the interpreter go."""
        self._interpreter = None


def _copy_result(found: Array, planned: Array) -> None:
    """Copies a result. A result whose shape is known only after a run must have the planned one, too."""
    if found.shape != planned.shape:
        raise ValueError(f"a result has shape {found.shape} instead of {planned.shape}")
    np.copyto(planned, found, casting="no")

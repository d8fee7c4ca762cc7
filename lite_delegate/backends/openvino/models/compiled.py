"""Compiled models of OpenVINO, and the requests that run them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import timedelta
from functools import partial
from typing import Any
from weakref import ref

import numpy as np

from ....basics.data_class import dataclass
from ....delegate import LayerTime
from ....errors import DelegateBuildError
from ....ir import DataType
from ....tensors.tensor import Array
from ...exchanged_buffers import exchanged
from .package import core
from .places import check_devices, places_of
from .precision import FLOAT16, FLOAT32, STORED, computed
from .properties import COUNT, LOW_PRECISION, PRECISION, THREADS
from .shared import by_width, sharable
from .written import Arithmetic, WrittenModel

REQUESTS = "OPTIMAL_NUMBER_OF_INFER_REQUESTS"
MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class CompileSettings:
    """The settings that models are compiled with.

    Attributes:
        device: OpenVINO's name of the device.
        config: properties of the device, by OpenVINO's names.
        takes_all_integers: whether products of 8-bit integers run on integers even where they are not exact.
    """

    device: str = "CPU"
    config: Mapping[str, str] = field(default_factory=dict)
    takes_all_integers: bool = False

    @property
    def counts_layers(self) -> bool:
        """Whether OpenVINO measures its layers."""
        return self.config.get(COUNT) == "YES"

    def is_exact(self) -> bool:
        """Whether products of 8-bit integers are exact. The answer takes a trial, so it is asked for only where it
        counts.
        """
        from .exactness import has_exact_products

        return self.takes_all_integers or has_exact_products(self.device)

    @property
    def storage_dtype(self) -> DataType | None:
        """The type of results' exactness, where it is not their own type and the device has kernels for it."""
        return STORED.get(self.config.get(PRECISION, ""))

    def completed(self, threads: int, precision: str) -> CompileSettings:
        """These settings, with the context's wishes where they leave values open.

        Args:
            threads: of the host, which only the CPU is told; 0 for no word.
            precision: a hint of ``precision``.
        """
        said = {PRECISION: precision}
        if threads and self.device == "CPU":
            said[THREADS] = str(threads)
        return replace(self, config={**said, **self.config})

    def config_of(self, written: WrittenModel) -> dict[str, str]:
        """OpenVINO's properties for one model, with a precision that the device has kernels for.

        On the CPU, passes for integer kernels are left out where they would only move roundings. Results of integer
        kernels are float32 there where they would be float16, which OpenVINO's CPU rounds to integers in steps of
        their own: ResNet50 takes 9 times as long.
        """
        told = {**self.config, PRECISION: computed(self.device, self.config.get(PRECISION, FLOAT32))}
        if self.device != "CPU" or written.arithmetic == Arithmetic.REAL:
            return told
        if written.arithmetic == Arithmetic.ROUNDED:
            return {LOW_PRECISION: "NO", **told}
        return {**told, PRECISION: FLOAT32} if told[PRECISION] == FLOAT16 else told


class SharedCompiledModel:
    """The model that the graph kernels of one run share, and its compiled form.

    Args:
        written: OpenVINO's model.
        settings: device and properties.
    """

    def __init__(self, written: WrittenModel, settings: CompileSettings) -> None:
        self.written, self.settings = written, settings
        self.compiled: Any = None
        self.fed: Sequence[Array] = ()

    def load(self) -> None:
        """Compiles the model.

        Raises:
            DelegateBuildError: OpenVINO cannot compile it for the device; the message is its own.
        """
        try:
            if self.written.outputs:
                self.compiled = self.compiled_model()
                check_devices(self.compiled, self.settings.device)
        except DelegateBuildError:
            raise
        except Exception as e:  # plugins raise what they like
            raise DelegateBuildError(f"OpenVINO cannot compile for {self.settings.device}: {said(e)}") from e

    def compiled_model(self) -> Any:
        """The compiled model."""
        return self.compiled_model_of(self.written.model)

    def compiled_model_of(self, model: Any) -> Any:
        """Another form of the model, compiled."""
        settings = self.settings
        return core().compile_model(model, settings.device, settings.config_of(self.written))

    def made_shapes(self, count: int) -> Iterable[tuple[int, Sequence[object]]]:
        """The shapes of the compiled model's outputs, see ``SharedModel``."""
        aside = {place for place, _ in self.written.direct}
        places = [place for place in range(count) if place not in aside]
        shapes = [] if self.compiled is None else [output.partial_shape for output in self.compiled.outputs]
        known = zip(places, shapes, strict=False)
        return [(place, _dims(shape)) for place, shape in known if shape.rank.is_static]

    def unload(self) -> None:
        """Lets the compiled model go; its memory goes with it and its requests."""
        self.compiled = None

    def places(self) -> dict[str, str]:
        """The devices that run the layers, see ``places_of``; none where nothing is compiled."""
        written, device = self.written, self.settings.device
        return {} if self.compiled is None else places_of(self.compiled, written.model, device)

    def optimal_requests(self) -> int | None:
        """The number of parallel requests that OpenVINO recommends; None where it gives none, or nothing is
        compiled.
        """
        try:
            return None if self.compiled is None else int(self.compiled.get_property(REQUESTS))
        except Exception:  # plugins raise what they like
            return None

    def request(self) -> BoundRequest:
        """A request, for one run at a time."""
        return BoundRequest(self.compiled, self.written, self.fed)

    def alone(self) -> SharedCompiledModel:
        """The model that can be exported."""
        return self


class BoundRequest:
    """A request of OpenVINO with the buffers of one graph kernel: only exchanged buffers are bound anew.

    Args:
        compiled: the compiled model; None where the run computes nothing.
        written: its outputs, and the arrays given beside it.
        fed: its last inputs, which are the same in each run.
    """

    def __init__(self, compiled: Any, written: WrittenModel, fed: Sequence[Array] = ()) -> None:
        self._direct, self._fixed, self._checks = written.direct, sorted(written.fixed), written.checks
        self._flags = len(written.outputs)  # which output says that computed places were outside
        self._read: dict[int, ref[Array]] = {}
        self._written: dict[int, ref[Array]] = {}
        self._run: Callable[[], object] = _nothing
        if compiled is not None:
            self._request = compiled.create_infer_request()
            self._feed(fed, len(compiled.inputs) - len(fed))
            # The package's own method starts the request and waits, which takes 60 to 90 us more than this one, which
            # runs it in this thread.
            derived_from: Any = super(type(self._request), self._request)
            self._run = partial(derived_from.infer, {}, True, False)

    def _feed(self, fed: Sequence[Array], first: int) -> None:
        from openvino import Tensor

        self._fed = fed  # OpenVINO has their memory
        for number, array in enumerate(fed, first):
            self._request.set_input_tensor(number, Tensor(sharable(array), shared_memory=True))

    def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object]:
        """The call that runs the request over the buffers."""
        from openvino import Tensor

        aside = {position for position, _ in self._direct}
        computed = [array for position, array in enumerate(outputs) if position not in aside]
        if not computed:
            return partial(self._give, inputs, outputs, computed)
        for number, array in exchanged(self._read, enumerate(inputs)):
            self._request.set_input_tensor(number, Tensor(sharable(array), shared_memory=True))
        varying = [(number, array) for number, array in enumerate(computed) if number not in self._fixed]
        for number, array in exchanged(self._written, varying):
            self._request.set_output_tensor(number, Tensor(by_width(array), shared_memory=True))
        if not aside and not self._fixed and not self._checks:
            return self._run
        return partial(self._give, inputs, outputs, computed)

    def layers(self) -> list[LayerTime]:
        """The times of the layers in the last run, as OpenVINO measured them; none where nothing is computed."""
        if self._run is _nothing:
            return []
        return [
            LayerTime(
                each.node_name,
                each.node_type,
                each.exec_type,
                each.real_time / MICROSECOND,
                each.cpu_time / MICROSECOND,
                each.status == each.Status.EXECUTED,
            )
            for each in self._request.get_profiling_info()
        ]

    def _give(self, inputs: Sequence[Array], outputs: Sequence[Array], computed: Sequence[Array]) -> None:
        """Runs the request, and writes the outputs that the request does not write."""
        self._checks.before(inputs)
        self._run()
        if self._checks.computed:
            self._checks.behind(self._request.get_output_tensor(self._flags).data)
        for number in self._fixed:
            computed[number][...] = self._request.get_output_tensor(number).data
        for position, source in self._direct:
            outputs[position][...] = source if isinstance(source, np.ndarray) else inputs[source]


def _dims(shape: Any) -> list[object]:
    return [dim.get_length() if dim.is_static else None for dim in shape]


def _nothing() -> None:
    """Runs nothing, for models that compute nothing."""


def said(error: Exception) -> str:
    """OpenVINO's message about an error, without the positions in its source."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith(("Exception from", "Check '"))]
    return " ".join(told) or type(error).__name__

"""Requests in flight: runs per second with several requests at once, and the latency of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lite_delegate_kernels import Array

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..errors import DelegateBuildError
from ..inference import CompiledModel, InferRequest, RequestQueue
from .latency import PLACES, Latency, RunLimits
from .recorder import CLOCK, Clock

AUTO = 0
"""A number of requests that is to be found out."""
NEAR = 0.95
"""The share of the most runs per second that is as good as the most."""
MOST_REQUESTS = 64


@dataclass(frozen=True, slots=True)
class InFlight(Brief):
    """Runs of a model with a number of requests, each started again as soon as it is free.

    Attributes:
        requests: in flight.
        wall_ns: from the first start to the last end.
        latency: of the runs, each from its start to its callback: waiting for its turn is part of it.
        estimated_us: microseconds from the first start to the last end on the clock of the simulated device, an
            estimate; None where no such device took part.
    """

    requests: int
    wall_ns: int
    latency: Latency
    estimated_us: float | None = None

    @property
    def throughput(self) -> float:
        """Runs per second; 0 where the clock saw no time pass."""
        return self.latency.runs / self.wall_ns * 1e9 if self.wall_ns else 0.0

    @property
    def estimated_throughput(self) -> float | None:
        """The estimated runs per second on the simulated device's clock; None without a simulated device."""
        return None if not self.estimated_us else self.latency.runs / self.estimated_us * 1e6

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data."""
        estimated = self.estimated_throughput
        return {
            "requests": self.requests,
            "runs": self.latency.runs,
            "wall_ms": round(self.wall_ns / 1e6, PLACES),
            "latency_ms": self.latency.to_dict(),
            "throughput_per_second": round(self.throughput, PLACES),
            "estimated_throughput_per_second": None if estimated is None else round(estimated, PLACES),
        }


@dataclass(frozen=True, slots=True)
class RequestsFound(Brief):
    """The results of measuring with requests in flight.

    Attributes:
        optimal: the number that the compiled model names (``OPTIMAL_NUMBER_OF_INFER_REQUESTS``).
        tried: for each number that was tried, in order; one where the user named it.
    """

    optimal: int
    tried: tuple[InFlight, ...]

    @property
    def chosen(self) -> InFlight:
        """The fewest requests that give as many runs per second as any, but for 5 %."""
        most = self.best.throughput
        return next(each for each in self.tried if each.throughput >= NEAR * most)

    @property
    def best(self) -> InFlight:
        """The number of requests in flight with the highest throughput, and its results."""
        return max(self.tried, key=lambda each: each.throughput)

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data. Keys are only ever added."""
        return {"optimal": self.optimal, **self.chosen.to_dict(), "tried": [each.to_dict() for each in self.tried]}


def measure_requests(
    compiled: CompiledModel, inputs: Mapping[str, Array], requests: int, limits: RunLimits, clock: Clock = CLOCK
) -> RequestsFound:
    """Runs with a number of requests in flight, or with several numbers in turn.

    Args:
        compiled: the model.
        inputs: an array for each input, by name.
        requests: in flight; ``AUTO``: 1, 2, 3, 4, 6, 8, ... up to twice those that the model names, and at least 4.
        limits: the limits of each measurement.
        clock: gives nanoseconds.

    Raises:
        LiteDelegateError: a run failed, or a device has no memory for one request.
    """
    if requests != AUTO:
        return RequestsFound(compiled.optimal_requests, (in_flight(compiled, inputs, requests, limits, clock),))
    tried: list[InFlight] = []
    for number in _candidates(compiled.optimal_requests):
        try:
            tried.append(in_flight(compiled, inputs, number, limits, clock))
        except DelegateBuildError:  # a device has no memory for so many
            if not tried:
                raise
            break
    return RequestsFound(compiled.optimal_requests, tuple(tried))


def _candidates(optimal: int) -> list[int]:
    most = min(max(2 * optimal, 4), MOST_REQUESTS)
    powers = [1 << n for n in range(MOST_REQUESTS.bit_length())]
    return sorted({n for n in (*powers, *(3 * n for n in powers), optimal, most) if n <= most})


def in_flight(
    compiled: CompiledModel, inputs: Mapping[str, Array], requests: int, limits: RunLimits, clock: Clock = CLOCK
) -> InFlight:
    """Runs with so many requests in flight, after one of each that does not count.

    Raises:
        LiteDelegateError: a run failed, or a device has no memory for so many requests.
    """
    ends: list[tuple[int, int]] = []
    estimates: list[tuple[float, float]] = []
    errors: list[Exception] = []

    def done(request: InferRequest, begun: int) -> None:
        ends.append((begun, clock()))
        estimates.extend(_estimates(request))

    with RequestQueue(compiled, requests) as queue:
        for request in queue:
            request.infer(inputs)
        queue.set_callback(done, on_error=lambda request, begun, error: errors.append(error))
        started, count = clock(), 0
        while not errors:
            queue.get_idle_request_id()
            now = clock()
            if count and limits.reached(count, now - started):
                break
            queue.start_async(inputs, now)
            count += 1
        queue.wait_all()
        estimates.extend(span for request in queue for span in _estimates(request))  # once no run is to come
    wall_ns = max(end for _, end in ends) - started
    return InFlight(requests, wall_ns, Latency.of([end - begun for begun, end in ends]), _span(estimates))


def _estimates(request: InferRequest) -> list[tuple[float, float]]:
    """When simulated devices were asked for parts of the last run, and when they ended."""
    simulated = request.profile.simulated
    return [] if simulated is None else [(run.enqueued_us, run.end_us) for run in simulated.runs]


def _span(times: Sequence[tuple[float, float]]) -> float | None:
    return max(end for _, end in times) - min(begun for begun, _ in times) if times else None

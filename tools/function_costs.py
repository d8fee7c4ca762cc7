"""Measures ``Traits.functions``: the time of an element of an operator, in additions: `python -m tools.function_costs`.

Each kernel that the CPU runs, the fast kernel where there is one, computes the same 65,536 elements of float32, which
stay in the caches: images of 256 channels. The least processor time of many turns counts, less the time of a call with
256 elements. AddFusion is 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from lite_delegate_fast import fast_kernels
from lite_delegate_kernels import ALL_KERNELS, Array, KernelRegistry, spec_of
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from lite_delegate.ir import make_primitive
from lite_delegate.ir.traits import TRAITS, ElementPattern, traits_of
from lite_delegate.ir.types.enums import ActivationType
from lite_delegate.runtime.planning.timing.roofline import CURVED, SIMPLE

ELEMENTS, FEW = 65_536, 256
CHANNELS = 256
TURNS, SECONDS = 100, 0.002
REGISTRY = KernelRegistry(ALL_KERNELS)
INPUTS = {ElementPattern.UNARY: 1, ElementPattern.BROADCAST: 2}
OTHERS: dict[str, dict[str, Any]] = {
    "FusedBatchNorm": {},
    "InstanceNorm": {},
    "L2NormalizeFusion": {"axis": (-1,)},
    "LRN": {"depth_radius": 2, "bias": 1.0, "alpha": 0.1, "beta": 0.75},
    "LayerNormFusion": {"begin_norm_axis": -1, "begin_params_axis": -1},
    "LogSoftmax": {"axis": -1},
    "LpNormalization": {"axis": -1, "p": 2},
    "Softmax": {"axis": (-1,)},
}
"""Attributes of the measured operators that compute an element from several elements."""
VECTORS = {"FusedBatchNorm": 4, "InstanceNorm": 2, "LayerNormFusion": 2}
"""The number of inputs with a number for each channel."""


def rows() -> Iterator[tuple[str, str, dict[str, Any], float]]:
    """Name, operator, attributes and the present estimate of each measurement."""
    for op_type, traits in TRAITS.items():
        if traits.pattern in INPUTS:
            yield op_type, op_type, {}, traits.functions
    for op_type, attributes in OTHERS.items():
        yield op_type, op_type, attributes, traits_of(op_type).functions
    for kind in ActivationType:
        yield kind.name, "Activation", {"activation_type": kind.name}, 1.0 if kind in SIMPLE else CURVED


def inputs_of(op_type: str, elements: int) -> list[Array]:
    """Numbers from 0.1 to 0.9, as images; the same for each call."""
    numbers = np.random.default_rng(0)
    count = INPUTS.get(traits_of(op_type).pattern, 1)
    shape = (1, elements // CHANNELS, 1, CHANNELS)
    data = [numbers.uniform(0.1, 0.9, shape).astype(np.float32) for _ in range(count)]
    return data + [np.full(CHANNELS, 0.5, np.float32)] * VECTORS.get(op_type, 0)


def call_us(op_type: str, inputs: Sequence[Array], attributes: dict[str, Any]) -> float:
    """The least microseconds of a call of the kernel that the CPU runs."""
    reference = REGISTRY.find(op_type)
    if reference is None:
        raise ValueError(f"{op_type} has no kernel.")
    every = {**make_primitive(op_type).attributes(), **attributes}
    run = (fast_kernels().find(reference, [spec_of(x) for x in inputs], every) or reference).run
    with np.errstate(all="ignore"):
        return min(_turn_us(lambda: run(*inputs, **attributes)) for _ in range(TURNS))


def _turn_us(call: Callable[[], object]) -> float:
    """Microseconds of processor time of one call, over a turn of calls."""
    calls, start = 0, time.thread_time()
    while calls == 0 or time.thread_time() < start + SECONDS:
        call()
        calls += 1
    return (time.thread_time() - start) / calls * 1e6


def element_us(op_type: str, attributes: dict[str, Any]) -> float:
    """Microseconds of the elements, without the call."""
    many, few = (call_us(op_type, inputs_of(op_type, n), attributes) for n in (ELEMENTS, FEW))
    return many - few


def main() -> None:
    """Prints a table of the operators whose kernels take float32 and no attributes beyond the defaults."""
    with threadpool_limits(1):
        unit = element_us("AddFusion", {})
        table: list[tuple[str, float, float]] = []
        for name, op_type, attributes, estimate in rows():
            try:
                table.append((name, round(element_us(op_type, attributes) / unit, 1), estimate))
            except (ValueError, TypeError, KeyError):  # no kernel, no attributes, or not of float32
                continue
        unit_again = element_us("AddFusion", {})
    print(f"AddFusion: {unit_again / ELEMENTS * 1e3:.3f} and {unit / ELEMENTS * 1e3:.3f} ns an element")
    print(tabulate(table, ("operator", "measured", "functions"), tablefmt="github"))


if __name__ == "__main__":
    main()

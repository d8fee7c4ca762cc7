"""The key of kernel times: the model, its shapes, the delegate, the machine."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path

import numpy as np

from ....basics.processors import usable_processors
from ....delegate import Delegate, Kernel
from ....errors import InputError
from ....partition.placement import KernelTimes, TimesKey
from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph
from ...records.describing import plain_attributes


def times_key(graphs: Sequence[BoundGraph], delegate: Delegate, threads: int) -> TimesKey:
    """The key of times that are made now.

    Args:
        graphs: the model, the main graph first.
        delegate: whose device it is.
        threads: that a kernel on the CPU may use; 0: as many as the math library takes.
    """
    shapes = {t.name: "x".join(map(str, t.shape)) for t in graphs[0].inputs}
    return TimesKey(model_hash(graphs), shapes, delegate.name, delegate.version(), machine(), threads)


def check_key(times: KernelTimes, wanted: TimesKey, where: str) -> None:
    """Checks that times are for this model, delegate and machine.

    Raises:
        InputError: they are not; the message names each field that differs.
    """
    wrong = times.key.differences(wanted)
    if wrong:
        raise InputError(
            f"Kernel times{where} were made for something else: {'; '.join(wrong)}. Run 'lite-delegate calibrate' anew."
        )


def model_hash(graphs: Sequence[BoundGraph]) -> str:
    """A hash of all nodes in order, their attributes, inputs and outputs, and the constants' contents."""
    digest = blake2b(digest_size=16)
    for graph in graphs:
        numbers: dict[Tensor, int] = {}
        digest.update(repr((graph.label, len(graph.inputs), len(graph.outputs))).encode())
        for kernel in graph.kernels:
            digest.update(_described(kernel, numbers).encode())
            for tensor in kernel.inputs:
                if tensor.is_const and tensor.has_data:
                    digest.update(np.ascontiguousarray(tensor.data).data)
    return digest.hexdigest()


def _described(kernel: Kernel, numbers: dict[Tensor, int]) -> str:
    """A node in words; tensors are numbered as they occur."""
    ends = [
        None if t is None else (numbers.setdefault(t, len(numbers)), t.dtype.name, t.is_const)
        for t in (*kernel.operands, *kernel.outputs)
    ]
    return repr((kernel.name, kernel.type, sorted(_texts(plain_attributes(kernel.primitive))), ends))


def _texts(attributes: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(name, repr(value)) for name, value in attributes.items()]


@cache
def machine() -> str:
    """The host: system, processor, number of processors that this process may use."""
    return f"{platform.system()}, {_processor()}, {usable_processors()} processors"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())

"""Models of this folder's tests, run by a device and by the CPU's kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lite_delegate import Core
from lite_delegate.inference import CompiledModel
from lite_delegate.ir.types.data_type import to_numpy
from lite_delegate.tensors.tensor import Array


def random_inputs(compiled: CompiledModel, seed: int = 3) -> list[Array]:
    """Random inputs of a compiled model: all integers of a type, or numbers of a normal distribution."""
    rng, found = np.random.default_rng(seed), []
    for port in compiled.inputs:
        dtype, shape = to_numpy(port.dtype), tuple(max(size, 1) for size in port.shape)
        if dtype.kind == "i":
            info = np.iinfo(dtype)
            found.append(rng.integers(info.min, info.max + 1, shape, dtype))
        else:
            found.append(rng.standard_normal(shape).astype(dtype))
    return found


def results(compiled: CompiledModel, inputs: list[Array]) -> list[Array]:
    """Copies of the outputs of a run."""
    return [np.array(each) for each in compiled.create_infer_request().infer(inputs)]


def expected_of(path: Path, inputs: list[Array]) -> list[Array]:
    """The outputs by the CPU's kernels."""
    return results(Core().compile_model(path, "CPU"), inputs)


def runs_whole(compiled: CompiledModel, provider: str) -> None:
    """Checks that a model is one subgraph, of which a provider says that it runs each node."""
    record = compiled.partition
    assert [(node.name, node.reason) for node in record.nodes if node.subgraph is None] == []
    assert len(record.subgraphs) == 1
    assert {node.provider for node in record.nodes} == {provider}


def distance(found: list[Array], expected: list[Array]) -> Any:
    """The largest difference, in the unit of the results."""
    pairs = zip(found, expected, strict=True)
    return max(np.abs(a.astype(np.float64) - b.astype(np.float64)).max() for a, b in pairs)

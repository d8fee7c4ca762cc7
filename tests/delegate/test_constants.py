"""What a delegate is told of constants before anything reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, DataType, Delegate, Kernel, Model, Supported, SupportResult, Tensor

WEIGHTS = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)


class Looking(Delegate):
    """Notes the constants of what it is asked for."""

    name = "looking"

    def __init__(self) -> None:
        self.seen: list[Tensor] = []

    def supports(self, kernel: Kernel) -> SupportResult | None:
        self.seen += [t for t in kernel.inputs if t.is_const]
        return Supported()

    def create_graph_kernel(self, run: object, model: object) -> Kernel:
        raise NotImplementedError


def saved(path: Path, *, is_outside: bool) -> None:
    """A model file with the weights where they are aligned; protobuf aligns nothing, so the graph's name sees to it."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, size]) for name, size in (("x", 64), ("y", 32)))
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    for size in range(1, 5):
        graph = helper.make_graph([node], "g" * size, [x], [y], [numpy_helper.from_array(WEIGHTS, "w")])
        proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(proto, path, save_as_external_data=is_outside, location="weights.bin", size_threshold=0)
        if is_outside or path.read_bytes().index(WEIGHTS.tobytes()) % 4 == 0:
            return


@pytest.mark.parametrize("is_outside", [False, True])
def test_a_constant_tells_where_in_its_file_it_lies(tmp_path: Path, is_outside: bool) -> None:
    path = tmp_path / "model.onnx"
    saved(path, is_outside=is_outside)
    context, delegate = Context(), Looking()
    context.set_delegate(delegate)
    with pytest.warns(match="NotImplementedError"):
        Model().build_from_file(str(path), context=context)
    weights = next(t for t in delegate.seen if t.data_size == WEIGHTS.nbytes)
    assert (weights.dtype, weights.shape) == (DataType.FLOAT32, [64, 32])
    place = weights.file_place
    assert place is not None
    assert place.path == (tmp_path / "weights.bin" if is_outside else path)
    assert place.path.read_bytes()[place.offset : place.offset + place.nbytes] == WEIGHTS.tobytes()

"""Networks that runtimes are compared on, by name, with seeded random weights; and their quantized forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from benchmarks.networks import mobilenet_v2, resnet50
from benchmarks.onnx_classifiers import ds_cnn, efficientnet_lite0, lenet, mobilenet_v3
from benchmarks.onnx_networks import vision_transformer
from benchmarks.onnx_twin import Twin

Array = np.ndarray[Any, Any]


def logits(model: onnx.ModelProto) -> onnx.ModelProto:
    """A classifier without its last node, a Softmax: its exponents would make more of the steps of 8 bits."""
    softmax = model.graph.node.pop()
    model.graph.output[0].name = softmax.input[0]
    return model


NETWORKS: Mapping[str, Callable[[], onnx.ModelProto]] = {
    "mobilenet_v2": lambda: logits(Twin(mobilenet_v2()).model()),
    "mobilenet_v3": mobilenet_v3,
    "efficientnet_lite0": efficientnet_lite0,
    "resnet50": lambda: logits(Twin(resnet50()).model()),
    "vit_tiny": vision_transformer,
    "ds_cnn": ds_cnn,
    "lenet": lenet,
}
CALIBRATED = 4
"""Random inputs by which ranges of activations are found."""


def written(name: str, folder: Path) -> Path:
    """The file of a network, made unless it is there.

    Raises:
        SystemExit: there is neither such a file nor such a network.
    """
    if name not in NETWORKS:
        if not Path(name).is_file():
            raise SystemExit(f"{name!r} is neither a file nor one of {', '.join(NETWORKS)}.")
        return Path(name)
    path = folder / f"{name}.onnx"
    if not path.exists():
        model = NETWORKS[name]()
        for number, node in enumerate(model.graph.node):
            node.name = node.name or f"{node.op_type}_{number}"
        onnx.save(model, path)
    return path


def is_quantized(path: Path) -> bool:
    """Whether a model has quantized tensors."""
    return any(node.op_type == "DequantizeLinear" for node in onnx.load(path, load_external_data=False).graph.node)


def quantized(path: Path, folder: Path) -> Path:
    """The file of the same model in int8, as ONNX Runtime quantizes it: QDQ, a scale for each channel of weights.

    Softmax stays as it is: of a thousand shares, 8 bits tell a handful apart.
    """
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    feeds = iter([random_feeds(path, seed) for seed in range(CALIBRATED)])

    class Reader(CalibrationDataReader):
        """Gives the inputs."""

        def get_next(self) -> Mapping[str, Array] | None:
            """The next ones."""
            return next(feeds, None)

    shares = [node.name for node in onnx.load(path, load_external_data=False).graph.node if node.op_type == "Softmax"]
    made = folder / f"{path.stem}_int8.onnx"
    quantize_static(
        path,
        made,
        Reader(),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        activation_type=QuantType.QInt8,
        weight_type=QuantType.QInt8,
        nodes_to_exclude=shares,
        extra_options={"WeightSymmetric": True},
    )
    return made


def random_feeds(path: Path, seed: int = 0) -> dict[str, Array]:
    """Random inputs; open dimensions are 1, integers 0."""
    rng = np.random.default_rng(seed)
    graph = onnx.load(path, load_external_data=False).graph
    constants = {each.name for each in graph.initializer}
    feeds: dict[str, Array] = {}
    for each in graph.input:
        if each.name in constants:
            continue
        kind = each.type.tensor_type
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        shape = [size.dim_value if size.HasField("dim_value") else 1 for size in kind.shape.dim]
        is_real = np.issubdtype(dtype, np.floating)
        feeds[each.name] = rng.standard_normal(shape).astype(dtype) if is_real else np.zeros(shape, dtype)
    return feeds

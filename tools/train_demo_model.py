"""Trains the demo model on handwritten digits and writes it as ``digits.ms``, with the held-out images beside it.

Needs ``pip install '.[demo-training]'``; nothing of it is needed to run the demo. Run from the repository::

    python tools/train_demo_model.py

The same torch version on the same kind of processor gives the same files: seeds are fixed and one thread computes.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.nn import functional as F

from lite_delegate import Context, DataType, Format, Model, ModelType
from lite_delegate.formats.ms import ms_bytes, write_ms
from lite_delegate.ir import Graph, ModelInfo, Node, Primitive, Value, constant, make_primitive

Array = np.ndarray[Any, Any]

DEMO_DIRECTORY = Path(__file__).resolve().parents[1] / "lite_delegate" / "demo"
HELD_OUT = 450
"""The last images of the data set are for testing: neighbors look alike, so images drawn at random would be easier."""
GRAY_LEVELS = 16.0
"""Pixels of the data set are 0 to 16; the model wants 0 to 1."""
STEM, WIDTH, CLASSES = 16, 32, 10
"""Channels of the first convolution, channels of the others, and digits."""
FORMAT_VERSION = "MindSpore Lite 2.7.0"
"""The release whose schema the file follows."""
PYTORCH = 5
"""``MetaGraph.fmkType`` of models that come from PyTorch."""


class DigitsNet(nn.Module):
    """A residual classifier of 8x8 images, with a layer normalization at the head of its block."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, STEM, 3, padding="same")
        self.norm = nn.LayerNorm(STEM)
        self.conv1 = nn.Conv2d(STEM, WIDTH, 3, padding="same")
        self.conv2 = nn.Conv2d(WIDTH, WIDTH, 3, padding="same")
        self.shortcut = nn.Conv2d(STEM, WIDTH, 1)
        self.dense = nn.Linear(2 * 2 * WIDTH, CLASSES)

    def forward(self, images: Tensor) -> Tensor:
        """Logits (N, 10) of images (N, 1, 8, 8)."""
        pooled = F.max_pool2d(F.relu(self.stem(images)), 2)
        normalized = self.norm(pooled.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        changes = self.conv2(F.relu(self.conv1(normalized)))
        features = F.avg_pool2d(F.relu(changes + self.shortcut(pooled)), 2)
        # Flattened in NHWC order, as the exported model does, so that the dense weights need no reordering.
        logits: Tensor = self.dense(features.permute(0, 2, 3, 1).flatten(1))
        return logits


def split_digits() -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Training and held-out (images, labels): images uint8 0 to 16 (N, 8, 8, 1), labels uint8 (N,)."""
    digits = load_digits()
    images, labels = digits.images.astype(np.uint8)[..., np.newaxis], digits.target.astype(np.uint8)
    return (images[:-HELD_OUT], labels[:-HELD_OUT]), (images[-HELD_OUT:], labels[-HELD_OUT:])


def as_input(images: Array) -> Tensor:
    """Images (N, 8, 8, 1), 0 to 16, as torch wants them: (N, 1, 8, 8), 0 to 1."""
    return torch.from_numpy(images.astype(np.float32) / GRAY_LEVELS).permute(0, 3, 1, 2).contiguous()


def distorted(images: Tensor) -> Tensor:
    """Each image slightly turned, sheared, scaled and shifted at random, as other hands would write it."""
    matrices = torch.eye(2) + 0.1 * torch.randn(len(images), 2, 2)
    shifts = 0.12 * torch.randn(len(images), 2, 1)
    grid = F.affine_grid(torch.cat([matrices, shifts], dim=2), list(images.shape), align_corners=False)
    return F.grid_sample(images, grid, align_corners=False)


def train(images: Tensor, labels: Tensor, epochs: int) -> DigitsNet:
    """A network trained from scratch on images (N, 1, 8, 8) and labels (N,)."""
    net = DigitsNet()
    batch = 64
    optimizer = torch.optim.AdamW(net.parameters(), weight_decay=0.01)
    steps = epochs * -(-len(images) // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, total_steps=steps)
    for _ in range(epochs):
        for chosen in torch.randperm(len(images)).split(batch):
            loss = F.cross_entropy(net(distorted(images[chosen])), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    net.eval()
    return net


class GraphBuilder:
    """Collects nodes in execution order. Each makes one value, which has the node's name unless told otherwise."""

    def __init__(self, weights: Mapping[str, Array]) -> None:
        self.weights = weights
        self.nodes: list[Node] = []

    def node(
        self, name: str, primitive: Primitive, inputs: Sequence[Value], shape: tuple[int, ...], output: str = ""
    ) -> Value:
        """Adds a node; returns the value that it makes."""
        made = Value(output or name, DataType.FLOAT32, shape)
        self.nodes.append(Node(name, primitive, [*inputs], [made]))
        return made

    def parameter(self, name: str, source: str) -> Value:
        """The constant that holds a weight of the network as it is."""
        return constant(name, self.weights[source])

    def conv(self, name: str, x: Value, source: str, activation: str = "NO_ACTIVATION") -> Value:
        """A convolution that keeps height and width; torch's (K, C, H, W) weights become (K, H, W, C)."""
        weight = np.ascontiguousarray(self.weights[f"{source}.weight"].transpose(0, 2, 3, 1))
        out_channel, *kernel_size, in_channel = weight.shape
        primitive = make_primitive(
            "Conv2DFusion",
            format="NHWC",
            kernel_size=kernel_size,
            stride=(1, 1),
            dilation=(1, 1),
            pad_mode="SAME",
            pad_list=[size // 2 for size in kernel_size for _ in range(2)],
            group=1,
            in_channel=in_channel,
            out_channel=out_channel,
            activation_type=activation,
        )
        operands = [constant(f"{name}/weight", weight, Format.KHWC), self.parameter(f"{name}/bias", f"{source}.bias")]
        _, height, width, _ = x.shape or ()
        return self.node(name, primitive, [x, *operands], (1, height, width, out_channel))

    def pool(self, name: str, op_type: str, x: Value) -> Value:
        """A pooling of 2x2 windows side by side."""
        window = {"kernel_size": (2, 2), "strides": (2, 2), "pad": (0, 0, 0, 0), "pad_mode": "VALID", "format": "NHWC"}
        _, height, width, channels = x.shape or ()
        return self.node(name, make_primitive(op_type, **window), [x], (1, height // 2, width // 2, channels))


def build_graph(weights: Mapping[str, Array]) -> Graph:
    """The network as a graph in NHWC for one image, float32 (1, 8, 8, 1), to probabilities (1, 10)."""
    image = Value("image", DataType.FLOAT32, (1, 8, 8, 1))
    b = GraphBuilder(weights)
    pooled = b.pool("stem/pool", "MaxPoolFusion", b.conv("stem/conv", image, "stem", "RELU"))

    layer_norm = make_primitive("LayerNormFusion", begin_norm_axis=-1, begin_params_axis=-1, elementwise_affine=True)
    affine = [b.parameter("block/norm/gamma", "norm.weight"), b.parameter("block/norm/beta", "norm.bias")]
    normalized = b.node("block/norm", layer_norm, [pooled, *affine], (1, 4, 4, STEM))
    changes = b.conv("block/conv2", b.conv("block/conv1", normalized, "conv1", "RELU"), "conv2")
    shortcut = b.conv("block/shortcut", pooled, "shortcut")
    add = make_primitive("AddFusion", activation_type="RELU")
    features = b.node("block/add", add, [changes, shortcut], (1, 4, 4, WIDTH))

    averages = b.pool("head/pool", "AvgPoolFusion", features)
    length = 2 * 2 * WIDTH
    flat_shape = constant("head/flatten/shape", np.array([-1, length], np.int32))
    flat = b.node("head/flatten", make_primitive("Reshape"), [averages, flat_shape], (1, length))
    dense = make_primitive("FullConnection", has_bias=True, use_axis=True, axis=1)
    operands = [b.parameter("head/dense/weight", "dense.weight"), b.parameter("head/dense/bias", "dense.bias")]
    logits = b.node("head/dense", dense, [flat, *operands], (1, CLASSES))
    softmax = make_primitive("Softmax", axis=[-1])
    probabilities = b.node("head/softmax", softmax, [logits], (1, CLASSES), output="probabilities")
    return Graph("digits", [image], [probabilities], b.nodes, info=ModelInfo("digits", FORMAT_VERSION, PYTORCH))


def check_export(graph: Graph, images: Array, expected: Array) -> None:
    """Stops when the graph's file gives other probabilities (N, 10) for images (N, 8, 8, 1) than torch does."""
    model = Model()
    model.build_from_buffer(ms_bytes(graph), ModelType.MINDIR_LITE, Context())
    model.resize(model.get_inputs(), [images.shape])
    (found,) = model.predict({"image": images.astype(np.float32) / np.float32(GRAY_LEVELS)})
    difference = float(np.abs(found.get_data_to_numpy() - expected).max())
    if difference > 1e-4:
        raise SystemExit(f"The exported model differs from the trained network by {difference:.2g} in a probability.")


def main() -> None:
    """Trains, writes both files, and says how accurate the model is on the held-out images."""
    parser = argparse.ArgumentParser(description="Train the demo model and write its files.")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--output", type=Path, default=DEMO_DIRECTORY, metavar="DIRECTORY")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    (images, labels), (test_images, test_labels) = split_digits()
    net = train(as_input(images), torch.from_numpy(labels.astype(np.int64)), arguments.epochs)
    graph = build_graph({name: tensor.numpy() for name, tensor in net.state_dict().items()})
    with torch.no_grad():
        probabilities = torch.softmax(net(as_input(test_images)), dim=1).numpy()
    check_export(graph, test_images, probabilities)

    path = arguments.output / "digits.ms"
    write_ms(graph, path)
    np.savez_compressed(arguments.output / "digits_test.npz", images=test_images, labels=test_labels)
    accuracy = np.mean(probabilities.argmax(axis=1) == test_labels)
    print(f"{path}: {accuracy:.2%} of {len(test_labels)} held-out images right, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

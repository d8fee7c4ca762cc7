# %% [markdown]
# # From Keras and from PyTorch to a report
#
# A network that was trained in Keras or PyTorch becomes a file, and the file runs on a delegate. Two small networks
# read handwritten digits of 8 x 8 pixels. The scripts that train them, and the files that they wrote, are in
# [examples/exporting](../../examples/exporting/README.md); each script takes less than a minute.
#
# ## Out of Keras
#
# TensorFlow's converter writes a `.tflite` file:
#
# ```python
# import tensorflow as tf
#
# converter = tf.lite.TFLiteConverter.from_keras_model(net)
# Path("keras_digits.tflite").write_bytes(converter.convert())
# ```
#
# Real numbers stay real numbers. For integers of 8 bits, the converter needs `optimizations` and a
# `representative_dataset`; such files are read as well.
#
# ## Out of PyTorch
#
# PyTorch writes ONNX (`pip install onnx onnxscript`). An example of the input says what the network takes, and
# `dynamic_shapes` which dimensions may have other sizes:
#
# ```python
# import torch
#
# net.eval()
# torch.onnx.export(
#     net,
#     (images[:2],),
#     "torch_digits.onnx",
#     dynamo=True,
#     input_names=["image"],
#     output_names=["probabilities"],
#     dynamic_shapes=({0: torch.export.Dim("rows")},),
#     external_data=False,
# )
# ```
#
# `external_data=False` keeps the weights in the file. Without it they lie beside the file, in
# `torch_digits.onnx.data`, and both are needed.
#
# ## Into a model
#
# ```sh
# pip install 'lite-delegate[onnx,tflite]'
# ```

# %%
from pathlib import Path

import numpy as np

import lite_delegate
from lite_delegate import Context, Model
from lite_delegate.demo import load_test_set
from lite_delegate.npu import NPUDelegate
from lite_delegate.report import partition_report

folder = Path(lite_delegate.__file__).parents[1] / "examples" / "exporting"
files = [folder / "keras_digits.tflite", folder / "torch_digits.onnx"]


def built(file: Path, context: Context) -> Model:
    """The model in a file, for a context."""
    model = Model()
    model.build_from_file(file, context=context)
    return model


for file in files:
    (given,) = built(file, Context()).get_inputs()
    print(f"{file.name}: {given.name} {given.shape} {given.dtype.name}")

# %% [markdown]
# Keras has the channels of an image last, PyTorch has them first. The model takes what the file says. The number of
# images is open in both files; until it is told otherwise, a model takes one. `resize` plans it for all images.
#
# The held-out images were not in the training of either network, and come with the package.

# %%
images, labels = load_test_set()
by_name = {"keras_digits": images, "torch_digits": np.ascontiguousarray(images.transpose(0, 3, 1, 2))}


def right(file: Path, context: Context) -> int:
    """The number of held-out images whose digit a model reads."""
    model, x = built(file, context), by_name[file.stem]
    model.resize(model.get_inputs(), [list(x.shape)])
    scores = model.predict([x])[0].get_data_to_numpy()
    return int((scores.argmax(axis=1) == labels).sum())


for file in files:
    print(f"{file.name}: {right(file, Context())} of {len(labels)} right on the CPU")

# %% [markdown]
# The scripts print the number that Keras and PyTorch have right themselves: 421 of 450, both.
#
# ## Onto a delegate

# %%
for file in files:
    context = Context()
    context.set_delegate(NPUDelegate())
    report = partition_report(built(file, context))
    print(
        f"{file.name}: {report.kernels_delegated} of {report.kernels_total} kernels on the NPU, "
        f"{len(report.subgraphs)} subgraph, {right(file, context)} right"
    )

# %% [markdown]
# Both run whole, in one subgraph each; the network with channels first has two kernels more, which move the channels.
# The command line says it node by node:
#
# ```sh
# lite-delegate report torch_digits.onnx --delegate npu
# lite-delegate compare torch_digits.onnx --delegate npu --kernels
# ```
#
# ## Where an export goes wrong
#
# - An operator that the file has and the CPU has no kernel for is named by `lite-delegate info FILE`, before anything
#   runs.
# - A network that was exported in training mode has other numbers: call `net.eval()` first.
# - A dimension that should be open is a number in the file: name it in `dynamic_shapes`, or leave the batch out of
#   Keras' `Input`.
#
# Read on: [ONNX](../onnx.md), [TensorFlow Lite](../tflite.md), [open dimensions](../shapes.md).

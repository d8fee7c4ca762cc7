# %% [markdown]
# # Where the numbers diverge
#
# A delegate answers, and the answer is a little wrong. `compare` runs the model on the delegate and on the reference
# kernels, and looks for the first kernel whose numbers leave the tolerance. The model is [Magika's](first_model.py);
# the delegate has a fault that is easy to make: layer normalization takes its own epsilon and not the model's.
#
# ```sh
# pip install 'lite-delegate[onnx]' magika
# ```

# %%
import math
from pathlib import Path

import magika
import numpy as np

from lite_delegate import Context, Delegate, Kernel, Model, RejectCode, Rejected, Supported
from lite_delegate.compare import CompareOptions, compare

file = next(Path(magika.__file__).parent.glob("models/*/model.onnx"))


def gelu(x):
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


def layer_norm(x, gamma, beta, first, epsilon):
    axes = tuple(range(first, x.ndim))
    mean, variance = x.mean(axis=axes, keepdims=True), x.var(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon) * gamma + beta


class Graph(Kernel):
    def __init__(self, boundary, run, epsilon):
        super().__init__(f"Graph_{run[0].name}", "Graph", boundary.inputs, boundary.outputs)
        self.run, self.epsilon = run, epsilon

    def execute(self):
        for kernel in self.run:
            arrays = [tensor.data for tensor in kernel.inputs]
            kernel.outputs[0].data = self.result(kernel, arrays)

    def result(self, kernel, arrays):
        if kernel.type == "Activation":
            return gelu(*arrays)
        if kernel.type == "AddFusion":
            return arrays[0] + arrays[1]
        if kernel.type == "Reshape":
            return arrays[0].reshape(kernel.outputs[0].shape)
        if kernel.type == "Transpose":
            return arrays[0].transpose(arrays[1])
        epsilon = kernel.primitive.epsilon if self.epsilon is None else self.epsilon
        return layer_norm(*arrays, kernel.primitive.begin_norm_axis, epsilon)


class VendorDelegate(Delegate):
    name = "vendor"
    types = ("Activation", "AddFusion", "LayerNormFusion", "Reshape", "Transpose")

    def __init__(self, epsilon=None):
        super().__init__()
        self.epsilon = epsilon

    def supports(self, kernel):
        if kernel.type not in self.types:
            return Rejected(RejectCode.OPERATOR, f"{kernel.type} is not one of {', '.join(self.types)}")
        return Supported()

    def create_graph_kernel(self, run, model):
        return Graph(model.boundary_of(run), run, self.epsilon)


# %% [markdown]
# ## Is the answer right?
#
# A comparison gives two verdicts. `explained`: the number format of the delegate explains all differences. `usable`:
# the outputs can be used in place of the reference's.


# %%
def compared(delegate):
    context = Context()
    context.set_delegate(delegate)
    context.on_delegate_error = "fallback"  # keeps the reference kernels of delegated nodes
    model = Model()
    model.build_from_file(file, context=context)
    text = Path(np.__file__).read_bytes()
    ids = np.array([*text[:1024], *text[-1024:]], np.int32)[None]
    return compare(model, {"bytes": ids}, CompareOptions(bisect=True))


right, wrong = compared(VendorDelegate()), compared(VendorDelegate(epsilon=1e-2))
for name, report in (("right", right), ("wrong", wrong)):
    print(f"{name}: explained {report.explained}, usable {report.usable}")

# %% [markdown]
# The faulty delegate is still usable for this input: the class is the same. The fault is there all the same, and
# would cost answers on other inputs.
#
# ## Which subgraph?
#
# Each subgraph is judged by its own error: the delegate's result against the reference kernels on the same inputs.
# Errors that come in through its inputs do not count.

# %%
for subgraph in wrong.subgraphs:
    print(f"{subgraph.outcome.name:6} {len(subgraph.kernels)} kernels, first {subgraph.kernels[0].split('/')[-1]}")

# %% [markdown]
# ## Which kernel?
#
# `bisect=True` builds parts of a wrong subgraph again, each with new inputs, until the smallest wrong stretch is
# left.

# %%
for culprit in wrong.culprits:
    print(f"{culprit.found.type} after {culprit.builds} builds: {culprit.found.name}")
assert {culprit.found.type for culprit in wrong.culprits} == {"LayerNormFusion"}

# %% [markdown]
# On the command line, `--save` keeps each culprit as a small model with its inputs and a command that shows the
# failure again:
#
# ```sh
# lite-delegate compare model.onnx --delegate my_delegate:VendorDelegate --bisect --save culprits
# ```
#
# Read on: [tolerances, lost digits, repair](../compare.md).

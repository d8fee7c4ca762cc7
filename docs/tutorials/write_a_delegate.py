# %% [markdown]
# # Write a delegate in an afternoon
#
# A delegate says which kernels it takes, and gives a graph kernel for each run of them. This one takes three
# operators of [Magika's model](first_model.py): GELU, layer normalization and softmax. numpy stands for the device.
# At the end, the conformance suite says that each claim is right.
#
# ```sh
# pip install 'lite-delegate[onnx]' magika
# ```

# %%
import math
from pathlib import Path

import magika
import numpy as np

from lite_delegate import Context, DataType, Delegate, Kernel, Model, RejectCode, Rejected, Supported
from lite_delegate.conformance import all_cases, run_conformance
from lite_delegate.report import partition_report

file = next(Path(magika.__file__).parent.glob("models/*/model.onnx"))

# %% [markdown]
# ## What to claim
#
# `lite-delegate info --imported model.onnx` lists the operators of a model, and `docs/operators.md` their meaning. A
# kernel has a type, a primitive with the operator's attributes, and input and output tensors. The first version
# claims by type alone.

# %%
TYPES = ("Activation", "LayerNormFusion", "Softmax")


def gelu(x):
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


@np.errstate(all="ignore")
def softmax(x, axis):
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def layer_norm(x, gamma, beta, first, epsilon):
    axes = tuple(range(first % x.ndim, x.ndim))
    mean, variance = x.mean(axis=axes, keepdims=True), x.var(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon) * gamma + beta


def function_of(kernel):
    """The function of a kernel's input arrays. A real driver compiles here."""
    attributes = kernel.primitive
    if kernel.type == "Activation":
        return gelu
    if kernel.type == "Softmax":
        return lambda x: softmax(x, attributes.axis[0])
    return lambda x, gamma, beta: layer_norm(x, gamma, beta, attributes.begin_norm_axis, attributes.epsilon)


class MyGraph(Kernel):
    """A run of kernels: reads the tensors that enter it, sets the tensors that leave it."""

    def __init__(self, boundary, run):
        super().__init__(f"MyGraph_{run[0].name}", "MyGraph", boundary.inputs, boundary.outputs)
        self.program = [(function_of(kernel), kernel.inputs, kernel.outputs[0]) for kernel in run]

    def execute(self):
        for function, inputs, output in self.program:
            output.data = function(*(tensor.data for tensor in inputs))


class FirstDelegate(Delegate):
    name = "mine"

    def supports(self, kernel):
        return (
            Supported() if kernel.type in TYPES else Rejected(RejectCode.OPERATOR, f"{kernel.type} is not of {TYPES}")
        )

    def create_graph_kernel(self, run, model):
        return MyGraph(model.boundary_of(run), run)


# %% [markdown]
# The model runs, and the delegate has its kernels:


# %%
def built(delegate=None):
    """Magika's model, with a delegate or without."""
    context = Context()
    if delegate is not None:
        context.set_delegate(delegate)
    model = Model()
    model.build_from_file(file, context=context)
    return model


report = partition_report(built(FirstDelegate()))
for subgraph in report.subgraphs:
    print(subgraph.name, len(subgraph.kernels))

# %% [markdown]
# ## What is wrong
#
# The suite has cases for every operator, also cases that this model does not have. A claimed case must come out
# right.

# %%
first = run_conformance(all_cases(TYPES), FirstDelegate())
print("conformant:", first.is_conformant)
bad = [result for result in first.results if result.outcome.value in ("wrong", "failed")]
print(len(bad), "claims are not kept, for example:")
for result in bad[:: len(bad) // 8]:
    print(f"  {result.id}: {result.outcome.value}: {result.detail.split('failed: ')[-1][:80]}")

# %% [markdown]
# Each line is a claim that should not be there: other activations, exact GELU, integers, several axes, three outputs,
# normalization without scale. A delegate need not compute all of this. It has to say what it does not take, with the
# limit and the value. The reasons are what the user reads in a report.


# %%
def rejected_activation(kernel):
    found = kernel.primitive
    if found.activation_type.name != "GELU":
        return f"activation_type must be GELU, is {found.activation_type.name}"
    return "" if found.approximate else "approximate must be True, is False"


def rejected_softmax(kernel):
    axis = kernel.primitive.axis
    return "" if axis is not None and len(axis) == 1 else f"axis must have one number, is {axis}"


def rejected_layer_norm(kernel):
    if len(kernel.inputs) != 3 or len(kernel.outputs) != 1:
        return f"needs 3 inputs and 1 output, has {len(kernel.inputs)} and {len(kernel.outputs)}"
    x, gamma, _ = kernel.inputs
    first = kernel.primitive.begin_norm_axis % len(x.shape)
    wanted = tuple(x.shape[first:])
    return "" if tuple(gamma.shape) == wanted else f"the scale must have the shape {wanted}, has {tuple(gamma.shape)}"


CHECKS = {"Activation": rejected_activation, "LayerNormFusion": rejected_layer_norm, "Softmax": rejected_softmax}


class MyDelegate(FirstDelegate):
    def supports(self, kernel):
        if kernel.type not in CHECKS:
            return Rejected(RejectCode.OPERATOR, f"{kernel.type} is not one of {', '.join(CHECKS)}")
        if kernel.inputs[0].dtype != DataType.FLOAT32:
            return Rejected(RejectCode.DTYPE, f"input must be FLOAT32, is {kernel.inputs[0].dtype.name}")
        if 0 in kernel.inputs[0].shape:
            return Rejected(RejectCode.SHAPE, f"input must have elements, has the shape {kernel.inputs[0].shape}")
        reason = CHECKS[kernel.type](kernel)
        return Rejected(RejectCode.ATTRIBUTE, reason) if reason else Supported()


# %% [markdown]
# ## Proved right

# %%
second = run_conformance(all_cases(TYPES), MyDelegate())
for row in second.operators():
    print(f"{row.op_type:16} {row.passed} passed, {row.wrong} wrong, {row.failed} failed, {row.rejected} rejected")
assert second.is_conformant, second.to_text()

# %% [markdown]
# The model still gives the same answer, and the report says why each other node is on the CPU:

# %%
ids = np.full((1, 2048), 256, np.int32)
ids[0, :21] = list(b"def main():\n    pass\n")
expected = built().predict([ids])[0].get_data_to_numpy()
found = built(MyDelegate()).predict([ids])[0].get_data_to_numpy()
print("no number differs by 1e-5:", float(np.abs(found - expected).max()) < 1e-5)
for (kind, code, reason), count in partition_report(built(MyDelegate())).rejected_types().most_common(3):
    print(f"{count} x {kind}: {code.name}: {reason}")

# %% [markdown]
# ## What next
#
# The same suite from the shell, when the classes are in `my_delegate.py`:
#
# ```sh
# lite-delegate conformance --delegate my_delegate:MyDelegate --op Activation --op LayerNormFusion --op Softmax
# ```
#
# Read on: [the rules for delegates](../delegates.md), [how claims are judged](../conformance.md), [which operators to
# add next](fewer_subgraphs.py),
# [a package for a delegate](../../examples/delegate_package/README.md).

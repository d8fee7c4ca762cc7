# %% [markdown]
# # A real NPU's toolchain: Arm Ethos-U by Vela
#
# Vela is the compiler that Arm publishes for its Ethos-U NPUs. It runs on any Linux machine, so a report of it needs
# no board. The model listens for the words "Okay Nabu". It has 8 bits, and the package of
# [pymicro-wakeword](https://pypi.org/project/pymicro-wakeword/) ships it:
#
# ```sh
# pip install 'lite-delegate[ethosu]' pymicro-wakeword
# ```

# %%
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from lite_delegate import Context, DelegateError, Model
from lite_delegate.backends.ethosu import EthosUDelegate
from lite_delegate.benchmark import BenchmarkOptions, RunLimits, benchmark
from lite_delegate.exporting import write_tflite
from lite_delegate.formats.tflite import read_tflite
from lite_delegate.ir import Graph
from lite_delegate.report import partition_report

file = Path(find_spec("pymicro_wakeword").origin).with_name("models") / "okay_nabu.tflite"


def built_for(accelerator: str, path: Path) -> Model:
    """A model that Vela has compiled for an accelerator, by its name without `ethos-`."""
    context = Context()
    context.set_delegate(EthosUDelegate(accelerator))
    model = Model()
    model.build_from_file(path, context=context)
    return model


# %% [markdown]
# ## What Vela takes
#
# Vela compiles all kernels together, and says which it leaves to the processor. The report asks it, not a table.

# %%
whole = built_for("u55-128", file)
report = partition_report(whole)
print(f"{report.kernels_delegated} of {report.kernels_total} kernels are delegated, subgraphs: {len(report.subgraphs)}")
for node in report.fallback:
    print(f"{node.name}: {node.code.name}: {node.reason}")

# %% [markdown]
# The model hears 30 ms of sound at a time, and keeps what it heard before in six variables. The NPU computes their new
# contents; the host keeps them.
#
# ## What it would cost
#
# The times and cycles are Vela's estimates. Nothing of them is measured.

# %%
for accelerator in ("u55-32", "u55-128", "u55-256", "u65-256"):
    subgraph = partition_report(built_for(accelerator, file)).subgraphs[0]
    print(f"ethos-{accelerator}: {subgraph.estimated_us:.1f} us per prediction, estimated by Vela")

# %% [markdown]
# A profile has the estimate of each layer. These are the heaviest:

# %%
sound = np.random.default_rng(0).integers(-128, 128, (1, 3, 40), np.int8)
options = BenchmarkOptions(limits=RunLimits(runs=1, seconds=None), profile=True)
found = benchmark(whole, {whole.get_inputs()[0].name: sound}, options)
(profiled,) = found.report.profile.subgraphs
for layer in sorted(profiled.layers, key=lambda layer: -(layer.total_cycles or 0))[:4]:
    print(f"{layer.type:18} {layer.total_cycles:6,} cycles, {layer.macs or 0:7,} MACs, estimated by Vela")

# %% [markdown]
# ## The file for the board
#
# Firmware loads a `.tflite` file in which one operator holds the NPU's commands. Such a file holds the whole model, and
# the variables are in the way:

# %%
try:
    whole.compiled.device_file()
except DelegateError as error:
    print(error)

# %% [markdown]
# The firmware can keep the variables itself. Each variable becomes an input, which is read, and an output, which is
# what would be assigned. The nodes that read and assign go.

# %%
graph = read_tflite(file)
reads = [node for node in graph.nodes if node.name.startswith("READ_VARIABLE")]
writes = {node.inputs[0].name: node.inputs[1] for node in graph.nodes if node.name.startswith("ASSIGN_VARIABLE")}
states = {node.outputs[0]: writes[node.inputs[0].name] for node in reads}
kept = [node for node in graph.nodes if not node.name.startswith(("READ_VARIABLE", "ASSIGN_VARIABLE"))]

streaming = Path("streaming.tflite")
write_tflite(Graph("okay_nabu", [*graph.inputs, *states], [*graph.outputs, *states.values()], kept), streaming)
ready = built_for("u55-128", streaming)
report = partition_report(ready)
print(f"{report.kernels_delegated} of {report.kernels_total} kernels, {report.subgraphs[0].estimated_us:.1f} us (Vela)")

# %% [markdown]
# Now all of the model runs on the NPU, in the same estimated time. Both models hear the same in the same sound: the
# results of 20 steps are equal. The host computes them by TensorFlow Lite's reference kernels, with which Arm promises
# that the NPU agrees bit for bit. Variables begin as zero, which is the zero point of their 8 bits.

# %%
on_cpu = Model()
on_cpu.build_from_file(file, context=Context())
memory = [np.full(state.shape, state.quant_params[0].zero_point, np.int8) for state in states]
for step in np.random.default_rng(1).integers(-128, 128, (20, 1, 3, 40), np.int8):
    heard, *after = (tensor.get_data_to_numpy().copy() for tensor in ready.predict([step, *memory]))
    memory = after
    np.testing.assert_array_equal(heard, on_cpu.predict([step])[0].get_data_to_numpy())
print("20 steps are equal")

# %%
board = ready.compiled.device_file()
Path(f"board{board.suffix}").write_bytes(board.content)
print(board.runtime, f"{len(board.content):,} bytes")

# %% [markdown]
# The command line says the same:
#
# ```sh
# lite-delegate report okay_nabu.tflite --delegate ethos-u55-128
# lite-delegate benchmark okay_nabu.tflite --delegate ethos-u55-128 --profile
# lite-delegate compile streaming.tflite --delegate ethos-u55-128 -o board.tflite
# ```
#
# Read on: [vendors' NPUs](../real_npus.md), [every part of a report](../report.md).

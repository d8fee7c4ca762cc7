# %% [markdown]
# # From a model to a report
#
# A trained model is loaded, run on the CPU and on a simulated NPU, and a report says what ran where and why. The
# model is [Magika](https://pypi.org/project/magika/), which tells the type of a file by its first and last bytes. The
# package of that name ships the model, so nothing else is downloaded:
#
# ```sh
# pip install 'lite-delegate[onnx]' magika
# ```

# %%
import json
from pathlib import Path

import magika
import numpy as np

from lite_delegate import Context, Model
from lite_delegate.npu import NPUDelegate
from lite_delegate.report import partition_report

folder = next(Path(magika.__file__).parent.glob("models/*/"))
file = folder / "model.onnx"
facts = json.loads((folder / "config.min.json").read_text())
labels = facts["target_labels_space"]
len(labels), labels[:6]

# %% [markdown]
# ## What the model takes
#
# A model is built from its file for a context. An empty context has no delegate: the CPU's kernels run everything.

# %%
on_cpu = Model()
on_cpu.build_from_file(file, context=Context())
for tensor in (*on_cpu.get_inputs(), *on_cpu.get_outputs()):
    print(tensor.name, tensor.shape, tensor.dtype.name)

# %% [markdown]
# The input has 2048 numbers: the first 1024 bytes of a file and the last 1024, without the white space around the
# file. A short file is filled up with the number 256.


# %%
def tokens(content: bytes) -> np.ndarray:
    """The input ``(1, 2048)`` for the content of a file."""
    size, padding = facts["beg_size"], facts["padding_token"]
    begin = list(content[: facts["block_size"]].lstrip()[:size])
    end = list(content[-facts["block_size"] :].rstrip()[-size:])
    return np.array([*begin, *[padding] * (size - len(begin)), *[padding] * (size - len(end)), *end], np.int32)[None]


def guess(model: Model, content: bytes) -> tuple[str, float]:
    """The type of a file, and the model's certainty from 0 to 1."""
    scores = model.predict([tokens(content)])[0].get_data_to_numpy()[0]
    return labels[int(scores.argmax())], round(float(scores.max()), 4)


samples = {
    "this package's code": Path(json.__file__).read_bytes(),
    "a configuration": (folder / "config.min.json").read_bytes(),
    "the model itself": file.read_bytes(),
    "a page": b"<!DOCTYPE html>\n<html><head><title>Hello</title></head><body><p>Hello</p></body></html>\n" * 4,
    "a table": b"name,height,weight\nAda,1.70,60\nAlan,1.80,75\nGrace,1.65,55\n" * 8,
}
for name, content in samples.items():
    print(f"{name:22} {guess(on_cpu, content)}")

# %% [markdown]
# ## The same on an NPU
#
# A delegate in the context is asked for each kernel of the model, and takes what it can. The device is a simulated
# one with the operators and limits of a phone's NPU. It computes in float16, so the certainties differ in the last
# digits.

# %%
context = Context()
context.set_delegate(NPUDelegate("kirin"))
on_npu = Model()
on_npu.build_from_file(file, context=context)
for name, content in samples.items():
    print(f"{name:22} {guess(on_npu, content)}")

# %% [markdown]
# ## What ran where, and why
#
# Each kernel that stays on the CPU has a code, and a reason with the limit and the value.

# %%
report = partition_report(on_npu)
print(f"{report.kernels_delegated} of {report.kernels_total} kernels are delegated, subgraphs: {len(report.subgraphs)}")
for node in report.fallback:
    print(f"{node.type}: {node.code.name}: {node.reason}")

# %% [markdown]
# The three kernels look up bytes: they keep an index in the range of a table. The device has no 32-bit integers, so
# the lookup of an index stays on the CPU, and everything behind it runs in one subgraph.
#
# `report.to_html()` is a page with the graph to click through, `to_json()` is for programs. The command line says the
# same:
#
# ```sh
# lite-delegate report model.onnx --delegate npu:kirin --format html -o report.html
# ```
#
# Read on: [every part of a report](../report.md), [a delegate of your own](write_a_delegate.py).

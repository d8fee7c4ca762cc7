# %% [markdown]
# # From refusals to fewer subgraphs
#
# A device that lacks operators splits a model: each gap costs transfers to the CPU and back. A report ranks what to
# support next. The model is [Magika's](first_model.py), the device a chip with seven operators.
#
# ```sh
# pip install 'lite-delegate[onnx]' magika
# ```

# %%
from pathlib import Path
from tempfile import TemporaryDirectory

import magika

from lite_delegate import Context, Model
from lite_delegate.npu import NPUDelegate
from lite_delegate.report import DIFF_RENDERERS, diff, partition_report

file = next(Path(magika.__file__).parent.glob("models/*/model.onnx"))
FIRST = ["Conv2DFusion", "MatMulFusion", "AddFusion", "Gather", "Activation", "Reshape", "Softmax"]


def report_for(operators: list[str]):
    """The report of Magika's model on a chip with these operators, whose profile is a file."""
    with TemporaryDirectory() as folder:
        profile = Path(folder, "chip.toml")
        profile.write_text(f'base = "generic"\ndescription = "a small chip"\noperators = {operators}\n')
        context = Context()
        context.set_delegate(NPUDelegate(str(profile)))
        model = Model()
        model.build_from_file(file, context=context)
        return partition_report(model, what_if=True)


before = report_for(FIRST)
print(f"{before.kernels_delegated} of {before.kernels_total} kernels in {len(before.subgraphs)} subgraphs")

# %% [markdown]
# ## Can another order have fewer?
#
# No. The report has the least number that any execution order can have, with its proof: a path through the model that
# crosses the gaps.

# %%
print(before.minimum_subgraphs, "subgraphs at least; kernels on a path, no two of which can share a subgraph:")
for name in before.minimum_proof:
    print("  ", name.split("MagikaV2/")[-1])

# %% [markdown]
# ## Why not?

# %%
for (kind, code, reason), count in before.rejected_types().most_common():
    print(f"{count} x {kind:16} {code.name}: {reason}")

# %% [markdown]
# ## What to support next?
#
# `what_if=True` partitions the model again for each refusal, as if it were gone. `SET` is a set of up to three
# operators that are worth more together than each alone.

# %%
for row in before.what_if:
    what = " + ".join(part.subject for part in row.parts) or row.subject
    if row.kind.name in ("SET", "OPERATOR"):
        print(f"{row.subgraphs_before} -> {row.subgraphs_after} subgraphs, {row.kernels_delta:+} kernels, {what}")

# %% [markdown]
# Three operators alone save one subgraph each, or none; together they leave one subgraph. `Maximum` alone makes it
# worse: it is a subgraph of its own.

# %%
best = next(row for row in before.what_if if row.kind.name == "SET")
added = sorted({part.subject for part in best.parts})
after = report_for(FIRST + added)
print("with", ", ".join(added))
print(f"{after.kernels_delegated} of {after.kernels_total} kernels in {len(after.subgraphs)} subgraphs")
assert len(after.subgraphs) == best.subgraphs_after  # the forecast holds

# %% [markdown]
# ## What changed?
#
# The difference of two reports names each kernel that runs elsewhere now, for a review or for CI.

# %%
text = DIFF_RENDERERS["text"](diff(before, after))
print(text.split("\n\n", 1)[1])  # without the names of the files

# %% [markdown]
# On the command line:
#
# ```sh
# lite-delegate report model.onnx --delegate npu:chip.toml --what-if --format json -o before.json
# lite-delegate report diff before.json after.json
# lite-delegate report model.onnx --delegate npu:chip.toml --require "subgraphs<=1" --require "coverage>=0.9"
# ```
#
# Read on: [how a model is split](../partitioning.md), [reports](../report.md),
# [a gate in CI](../../examples/ci_gate/README.md).

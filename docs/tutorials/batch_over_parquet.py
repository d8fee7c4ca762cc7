# %% [markdown]
# # A model over a Parquet file
#
# Files of many kinds are in a column of a Parquet file; [Magika's model](first_model.py) gives each row a type. The
# job goes on where it stopped, and a row that cannot be read gets a reason in place of an answer.
#
# ```sh
# pip install 'lite-delegate[batch,onnx]' magika
# ```

# %%
import json
import os
import tempfile
from pathlib import Path

import magika
import pyarrow as pa
from pyarrow import parquet

from lite_delegate import batch

os.chdir(tempfile.mkdtemp())
folder = next(Path(magika.__file__).parent.glob("models/*/"))
content = {path.name: path.read_bytes() for path in sorted(Path(json.__file__).parent.glob("*.py"))}
content |= {
    "config.json": (folder / "config.min.json").read_bytes(),
    "model.onnx": (folder / "model.onnx").read_bytes(),
}
rows = [{"name": name, "content": data} for name, data in content.items()] + [{"name": "nothing", "content": None}]
parquet.write_table(pa.Table.from_pylist(rows), "files.parquet")
print(parquet.read_schema("files.parquet"))

# %% [markdown]
# ## From rows to inputs, from outputs to columns
#
# Two functions in a file do it. Workers import the file, so it is a module and no cell.

# %%
Path("file_types.py").write_text(
    f'''
import json
from pathlib import Path

import numpy as np

FACTS = json.loads(Path({str(folder / "config.min.json")!r}).read_text())
LABELS = FACTS["target_labels_space"]


def tokens(row):
    """The numbers (2048,) of a file: its first and last 1024 bytes, and 256 where it has none."""
    begin = np.frombuffer(row["content"][:4096].lstrip()[:1024], np.uint8)
    end = np.frombuffer(row["content"][-4096:].rstrip()[-1024:], np.uint8)
    numbers = np.full(2048, FACTS["padding_token"], np.int32)
    numbers[: len(begin)], numbers[len(numbers) - len(end) :] = begin, end
    return numbers


def best(outputs):
    """The most certain label of the scores (214,)."""
    scores = outputs["target_label"]
    return {{"label": LABELS[int(scores.argmax())], "certainty": round(float(scores.max()), 3)}}


best.columns = {{"label": "str", "certainty": "float64"}}
'''
)

# %% [markdown]
# ## The job
#
# Four rows are a chunk here, and each chunk is a file. By default, a worker runs on each processor, and the memory
# decides how many rows a chunk has.

# %%
arguments = {"preprocess": "file_types:tokens", "postprocess": "file_types:best", "keep": ["name"], "chunk_rows": 4}
result = batch.run(folder / "model.onnx", "files.parquet", "types", engine=batch.LocalEngine(workers=1), **arguments)
print(f"{result.rows} rows, {result.errors} with errors")
print(sorted(path.name for path in Path("types").glob("*.parquet")))

# %%
for row in parquet.read_table("types").to_pylist():
    print(f"{row['name']:16} {row['label'] or '':8} {row['certainty'] or 0:5.3f}  {(row['error'] or '')[:60]}")

# %% [markdown]
# ## It goes on where it stopped
#
# A job that is killed leaves whole parts only. The same call runs the missing ones:

# %%
lost = Path("types", "part-00000001.parquet")
lost.unlink()
again = batch.run(folder / "model.onnx", "files.parquet", "types", engine=batch.LocalEngine(workers=1), **arguments)
print(lost.exists(), again.rows)

# %% [markdown]
# The same on the command line, which has a line of progress, too:
#
# ```sh
# lite-delegate batch model.onnx --input files.parquet --output types --keep name \
#     --preprocess file_types:tokens --postprocess file_types:best
# ```
#
# Read on: [sources, columns, errors, memory](../batch.md), [many machines](../batch_ray.md), and [texts in images,
# speech in sounds](../../examples/batch/README.md).

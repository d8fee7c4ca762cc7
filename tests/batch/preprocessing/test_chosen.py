"""Which feeds a job gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate.batch.preprocessing.chosen import chosen_feeds
from lite_delegate.batch.preprocessing.image_feed import ImageFeed
from lite_delegate.batch.rows.feed import ColumnFeed
from lite_delegate.batch.rows.row_type import RowType
from lite_delegate.batch.sources.opened import open_source
from lite_delegate.errors import InputError

pa = pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="data sets are read by pyarrow")
pytest.importorskip("PIL.Image", reason="images are read by Pillow")
X, S = RowType("x", np.dtype("float32"), (3, 4, 5)), RowType("s", np.dtype("float32"), ())
HUGGING_FACE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def parquet(folder: Path, **kinds: Any) -> Any:
    pq.write_table(pa.schema(list(kinds.items())).empty_table(), folder / "a.parquet")
    return open_source(folder / "a.parquet")


def images(folder: Path) -> Any:
    (folder / "a.png").touch()
    return open_source(folder)


def toml(folder: Path, text: str) -> str:
    (folder / "p.toml").write_text(text)
    return str(folder / "p.toml")


def test_an_image_input_without_preprocessing_is_one_line(tmp_path: Path) -> None:
    said = r"Input 'x' \(float32 \[3, 4, 5\]\) gets no images as they are in files: say --preprocess FILE.toml"
    with pytest.raises(InputError, match=said):
        chosen_feeds([X], images(tmp_path), {}, "")
    with pytest.raises(InputError, match="column 'x': it has encoded images; say --preprocess"):
        chosen_feeds([X], parquet(tmp_path, x=HUGGING_FACE), {}, "")


def test_the_column_of_images(tmp_path: Path) -> None:
    path = toml(tmp_path, "[x]")
    for source, said, expected in (
        (images(tmp_path), {}, "image"),
        (parquet(tmp_path, id=pa.int64(), photo=HUGGING_FACE), {}, "photo"),
        (parquet(tmp_path, a=pa.binary(), b=pa.binary()), {"x": "b"}, "b"),
        (parquet(tmp_path, a=pa.binary(), x=pa.binary()), {}, "x"),
    ):
        ((feed,), _) = chosen_feeds([X], source, said, path)
        assert isinstance(feed, ImageFeed)
        assert feed.column == expected
        assert feed.facts == {"images": expected, "preprocess": "[x]"}


def test_other_inputs_are_columns(tmp_path: Path) -> None:
    source = parquet(tmp_path, image=pa.binary(), s=pa.float32())
    feeds, _ = chosen_feeds([S, X], source, {}, toml(tmp_path, "[x]"))
    assert [type(feed) for feed in feeds] == [ColumnFeed, ImageFeed]


def test_columns_of_text_that_inputs_name_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("s,t\nx,1\n1,2\n")
    ((feed,), source) = chosen_feeds([S], open_source(tmp_path / "a.csv"), {}, "")
    assert feed.columns == ("s",)
    assert [str(field.type) for field in source.schema] == ["double", "int64"]


@pytest.mark.parametrize(
    ("kinds", "text", "columns", "said"),
    [
        ({"a": pa.binary(), "b": pa.binary()}, "[x]", {}, "say which column has the images of 'x': column = one of"),
        ({"a": pa.int64()}, '[x]\ncolumn = "a"', {}, "column 'a' has int64, expected bytes of images"),
        ({"a": pa.binary()}, '[x]\ncolumn = "aa"', {}, "no column 'aa'. Did you mean 'a'"),
        ({"a": pa.binary()}, None, {}, "there is no such file, and it is no module:function"),
    ],
)
def test_refusals(tmp_path: Path, kinds: Any, text: str | None, columns: Any, said: str) -> None:
    path = "missing.toml" if text is None else toml(tmp_path, text)
    with pytest.raises(InputError, match=said):
        chosen_feeds([X], parquet(tmp_path, **kinds), columns, path)


def test_a_function_takes_no_map(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--map is of no use with --preprocess math:sqrt"):
        chosen_feeds([X], parquet(tmp_path, a=pa.binary()), {"x": "a"}, "math:sqrt")

"""CSV files, against the ``csv`` module of Python."""

from __future__ import annotations

import csv
import io
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lite_delegate.batch.sources.csv import CsvSource
from lite_delegate.batch.sources.opened import open_source
from lite_delegate.errors import InputError

from .reading import all_rows_of

pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")


def written(folder: Path, text: str | bytes, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def rows_of(path: Path, rows: int = 2, **types: str) -> tuple[list[Any], dict[int, str]]:
    return all_rows_of(open_source(path, types), rows)


VALUES = st.text(alphabet='ab,"\n\r é', max_size=6)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=12), st.integers(1, 5), st.sampled_from(["\n", "\r\n"]))
def test_texts_with_quotes_and_line_ends(
    tmp_path: Path, rows: list[tuple[str, str]], count: int, line_end: str
) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator=line_end).writerows([("a", "b"), *rows])
    path = written(tmp_path, text.getvalue().removesuffix(line_end))
    found, errors = rows_of(path, count, a="string", b="string")
    assert not errors
    assert found == [{"a": a, "b": b} for a, b in rows]


def test_types_are_of_the_first_rows(tmp_path: Path) -> None:
    path = written(tmp_path, "i,f,b,t,d,e\n1,1.5,true,x,2024-01-02,\n-2,NaN,false,NA,2024-01-03,\n,,,,,\n")
    source = open_source(path)
    assert [str(field.type) for field in source.schema] == [
        "int64",
        "double",
        "bool",
        "string",
        "date32[day]",
        "string",
    ]
    found, errors = all_rows_of(source, 10)
    assert not errors
    assert [row["t"] for row in found] == ["x", "NA", ""]
    assert [row["i"] for row in found] == [1, -2, None]
    assert found[1]["f"] != found[1]["f"]
    assert found[2]["f"] is None


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_bad_lines_and_values_are_errors_of_their_rows(tmp_path: Path, rows: int) -> None:
    good = b"1,1.5,a\n"
    lines = [
        good,
        b"2,x,a\n",
        b"3,3\n",
        b"\n",
        b"4,4,4,4\r\n",
        good,
        b"5,5,\xff\n",
        b"6,6,a\rb\n",
        good,
        b'7,7,"a\n',
        good,
    ]
    found, errors = rows_of(written(tmp_path, b"i,f,t\n" + b"".join(lines)), rows, i="int64", f="float32", t="string")
    assert errors == {
        1: "column 'f' has 'x', expected float",
        2: "the line has 2 values, expected 3",
        3: "the line has 4 values, expected 3",
        5: "column 't' has '\ufffd', expected string",
        6: "the line has a carriage return or a quote out of place",
        8: "a quote is not closed",
    }
    assert len(found) == 10
    assert [number for number, row in enumerate(found) if row == {"i": 1, "f": 1.5, "t": "a"}] == [0, 4, 7, 9]


def test_only_columns_that_are_read_can_be_wrong(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, "a,b\n1,2\n3,x\n"), {"b": "int64"})
    assert all_rows_of(source, 9, ["a"]) == ([{"a": 1}, {"a": 3}], {})
    assert all_rows_of(source, 9, ["b", "a"])[1] == {1: "column 'b' has 'x', expected int64"}


def test_every_value_bad(tmp_path: Path) -> None:
    path = written(tmp_path, "a\n" + "x\n" * 300)
    found, errors = rows_of(path, 1000, a="int64")
    assert len(found) == len(errors) == 300


@pytest.mark.parametrize("text", ["1,2\n3,4\n", "1,2\n\n3,4", "\ufeff1,2\n3,4\n"])
def test_a_first_line_of_numbers_is_a_row(tmp_path: Path, text: str) -> None:
    assert rows_of(written(tmp_path, text)) == ([{"f0": 1, "f1": 2}, {"f0": 3, "f1": 4}], {})


def test_a_mark_of_utf_8_and_tabs(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeffa\tb c\n1\tx,y\n", "a.tsv")
    assert rows_of(path) == ([{"a": 1, "b c": "x,y"}], {})


def test_no_rows(tmp_path: Path) -> None:
    assert rows_of(written(tmp_path, "a,b\n")) == ([], {})


def test_several_files_and_a_copy_in_another_process(tmp_path: Path) -> None:
    written(tmp_path, "a,b\n1,2\n3,4\n5,6", "1.csv")
    written(tmp_path, "a,b\n7,8\n", "2.csv")
    source: CsvSource = pickle.loads(pickle.dumps(open_source(tmp_path)))
    assert [row["a"] for row in all_rows_of(source, 2)[0]] == [1, 3, 5, 7]
    assert [(chunk.rows, chunk.first_row) for chunk in source.chunks(2)] == [(2, 0), (1, 2), (1, 0)]


def test_numbers_where_an_input_wants_them(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, "a,b,c\n1,x,u\ny,2,v\n1.5,3,w\n"))
    assert [str(field.type) for field in source.schema] == ["string"] * 3
    chosen = source.with_numbers({"a": True, "b": False, "c": True})
    assert [str(field.type) for field in chosen.schema] == ["double", "int64", "string"]
    assert all_rows_of(chosen, 9)[1] == {
        0: "column 'b' has 'x', expected int64",
        1: "column 'a' has 'y', expected double",
    }
    whole = open_source(written(tmp_path, "a\n1\n2\n", "w.csv"))
    assert str(whole.with_numbers({"a": True}).schema.field("a").type) == "double"


def test_rows_larger_than_the_first_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite_delegate.batch.sources.csv.FIRST_BYTES", 8)
    path = written(tmp_path, "a,b\n" + "".join(f'{number},"{"x" * 50}"\n' for number in range(9)))
    assert [row["a"] for row in rows_of(path)[0]] == list(range(9))


def test_a_file_that_has_changed(tmp_path: Path) -> None:
    path = written(tmp_path, "a\n1\n2\n3\n")
    source = open_source(path)
    (chunk,) = source.chunks(9)
    path.write_text("a\n12345")
    with pytest.raises(InputError, match="has changed"):
        source.read(chunk, ["a"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is empty"),
        (b"a,a\n1,2\n", "has two columns called 'a'"),
        ("a\n1\n".encode("utf-16"), "is no text in UTF-8"),
        (b"\xff,a\n1,2\n", "the line with the names of the columns cannot be read"),
    ],
)
def test_refused_files(tmp_path: Path, text: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        open_source(written(tmp_path, text))


def test_refused_types_and_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "age\n1\n", "1.csv")
    with pytest.raises(InputError, match=r"--type agee=int64: the source has no such column. Did you mean 'age'\?"):
        open_source(path, {"agee": "int64"})
    with pytest.raises(InputError, match="--type age=itn: Arrow has no such type"):
        open_source(path, {"age": "itn"})
    written(tmp_path, "aged\n1\n", "2.csv")
    with pytest.raises(InputError, match=r"2.csv' has other columns than '.*1.csv': aged instead of age"):
        list(open_source(tmp_path).chunks(9))

"""The schema files, the generator, and that what is committed is what it makes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lite_delegate_schemas import _fbs, generate
from lite_delegate_schemas._emit_readers import flatc_problem
from lite_delegate_schemas._generated import layout
from lite_delegate_schemas.field import Field

needs_flatc = pytest.mark.skipif(flatc_problem() is not None, reason=str(flatc_problem()))


def test_the_schema_has_every_declaration() -> None:
    schema = _fbs.parse_schema()
    assert (len(schema.enums), len(schema.tables), len(schema.unions["PrimitiveType"])) == (15, 231, 221)
    assert (schema.root, schema.identifier) == ("MetaGraph", "MSL2")


@pytest.mark.parametrize(
    ("name", "tag"),
    [("Abs", 1), ("Conv2DFusion", 35), ("MatMulFusion", 89), ("Softmax", 138), ("Custom", 191), ("FillV2", 221)],
)
def test_operators_have_the_files_numbers(name: str, tag: int) -> None:
    assert layout.UNIONS["PrimitiveType"][tag - 1] == name


def test_the_layout_says_kind_type_and_default_of_fields() -> None:
    tensor = {f.name: f for f in layout.TABLES["Tensor"]}
    assert tensor["dims"] == Field(2, "dims", "scalars", "int")
    assert tensor["format"] == Field(3, "format", "scalar", "int", "Format", 0)
    assert tensor["quantParams"] == Field(7, "quantParams", "tables", "QuantParam")
    assert tensor["name"] == Field(9, "name", "string", "")
    node = {f.name: f for f in layout.TABLES["CNode"]}
    assert node["nodeType"].kind == "deprecated"
    assert node["deviceType"].default == -1
    assert layout.TABLES["Primitive"] == (Field(1, "value", "union", "PrimitiveType"),)
    assert layout.TABLES["FusedBatchNorm"][1] == Field(1, "momentum", "scalar", "float", None, 0.9)
    assert layout.TABLES["BinaryCrossEntropyGrad"][0] == Field(0, "reduction", "scalar", "byte", "Reduction", 1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("kernel_size: [long];", r"table X: 'kernel_size: \[long\];' is not"),
        ("a: long (id: 1);", r"field ids must be \[0\], found \[1\]"),
        ("a: Nothing (id: 0);", "field a has the unknown type Nothing"),
    ],
)
def test_what_the_parser_does_not_know_is_rejected(line: str, message: str, tmp_path: Path) -> None:
    for name in _fbs.FILES:
        shutil.copy(_fbs.FOLDER / name, tmp_path)
    with open(tmp_path / "model.fbs", "a", encoding="utf-8") as file:
        file.write(f"table X {{\n    {line}\n}}\n")
    with pytest.raises(ValueError, match=message):
        _fbs.parse_schema(tmp_path)


@needs_flatc
def test_committed_files_are_what_the_schema_gives() -> None:
    assert generate.stale_files() == []


@needs_flatc
def test_a_changed_a_missing_and_a_surplus_file_are_noticed(tmp_path: Path) -> None:
    generate.write_files(tmp_path)
    assert generate.stale_files(tmp_path) == []
    readers = tmp_path / generate.READERS
    (readers / "Abs.py").unlink()
    (readers / "Gone.py").touch()
    with open(readers / "layout.py", "a", encoding="utf-8") as file:
        file.write("# edited\n")
    assert generate.stale_files(tmp_path) == [f"{generate.READERS}/{n}.py" for n in ("Abs", "Gone", "layout")]


@needs_flatc
def test_the_check_exits_with_1_when_a_file_differs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate.main(["--check"]) == 0
    monkeypatch.setattr(generate, "stale_files", lambda: ["some/file.py"])
    assert generate.main(["--check"]) == 1
    assert "some/file.py is not what the schema gives" in capsys.readouterr().err


def test_nothing_imports_by_the_schemas_namespace() -> None:
    """flatc's own output does, and would need a top-level package of that name."""
    texts = [f.read_text(encoding="utf-8") for f in (generate.SOURCES / generate.READERS).glob("*.py")]
    assert len(texts) > 231
    assert not any("mindspore" in text for text in texts)

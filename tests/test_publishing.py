"""What a version is published with: metadata, the wheel's files, the changelog, the citation, hooks and hosted runs."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from lite_delegate.cli.frame.help_texts import COMMANDS
from lite_delegate.version import VERSION

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
HATCH = PYPROJECT["tool"]["hatch"]
WHEEL = HATCH["build"]["targets"]["wheel"]
PYTHONS = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
RELATIVE_LINK = re.compile(r"\]\((?!https?:|#)[^)]*\)")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_one() -> None:
    assert PROJECT["version"] == VERSION
    assert re.findall(r"^version: (.+)$", text("CITATION.cff"), re.MULTILINE) == [VERSION]
    assert re.findall(r"^## (\S+)", text("CHANGELOG.md"), re.MULTILINE)[0] == VERSION


def test_the_changelog_names_commands_that_there_are() -> None:
    named = set(re.findall(r"`lite-delegate ([a-z]+)", text("CHANGELOG.md")))
    assert len(named) > 5
    assert named <= {name.split()[0] for name in COMMANDS}


def index_page() -> str:
    """The README as an index shows it: what the hook of the build backend makes of it."""
    hook = HATCH["metadata"]["hooks"]["fancy-pypi-readme"]
    page = "".join(text(each["path"]) for each in hook["fragments"])
    for each in hook["substitutions"]:
        page = re.sub(each["pattern"], each["replacement"], page)
    return page.replace("$HFPR_VERSION", VERSION)


def test_links_of_the_index_page_lead_to_files_of_the_version() -> None:
    assert len(RELATIVE_LINK.findall(text("README.md"))) > 20
    page = index_page()
    assert RELATIVE_LINK.findall(page) == []
    source, version = re.escape(PROJECT["urls"]["Source"]), re.escape(VERSION)
    named = re.findall(rf"\]\({source}/(?:blob|raw)/v{version}/([^)#]*)", page)
    assert len(named) == len(RELATIVE_LINK.findall(text("README.md")))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_pictures_of_the_index_page_are_files_and_no_pages_about_files() -> None:
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", index_page())
    assert len(pictures) == len(re.findall(r"!\[", text("README.md"))) > 0
    assert [address for address in pictures if f"/raw/v{VERSION}/docs/pictures/" not in address] == []


def test_addresses_of_the_project_are_of_one_repository() -> None:
    source = PROJECT["urls"]["Source"]
    assert [url for url in PROJECT["urls"].values() if not url.startswith(source)] == []
    assert f"repository-code: {source}\n" in text("CITATION.cff")
    assert f"url: {source}/" in text(".github/ISSUE_TEMPLATE/config.yml")


def modules() -> Iterator[tuple[str, Path, bool]]:
    """The modules of the wheel's packages: name, file, whether the wheel leaves it out."""
    for package in map(Path, WHEEL["packages"]):
        for path in sorted((ROOT / package).rglob("*.py")):
            inside = path.relative_to(ROOT / package.parent).with_suffix("")
            name = ".".join(inside.parts).removesuffix(".__init__")
            is_left_out = any(fnmatch(f"/{path.relative_to(ROOT)}", pattern) for pattern in WHEEL["exclude"])
            yield name, path, is_left_out


def imported(path: Path, name: str) -> set[str]:
    """The modules that a module may import, each name behind ``from x import`` taken as one."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return found


def test_the_wheel_imports_nothing_that_it_leaves_out() -> None:
    left_out = {name for name, _, is_left_out in modules() if is_left_out}
    assert {"lite_delegate_schemas.generate", "lite_delegate_schemas._generated.Abs"} <= left_out
    importers = [path for name, path, is_left_out in modules() if not is_left_out and imported(path, name) & left_out]
    assert importers == []
    generator = ROOT / "schemas" / "lite_delegate_schemas" / "generate.py"
    assert imported(generator, "lite_delegate_schemas.generate") & left_out  # the check sees relative imports


@pytest.mark.parametrize("pattern", WHEEL["exclude"])
def test_each_pattern_leaves_something_out(pattern: str) -> None:
    assert [path for _, path, _ in modules() if fnmatch(f"/{path.relative_to(ROOT)}", pattern)]


def test_the_license_has_those_of_what_the_wheel_contains() -> None:
    assert [name for name in PROJECT["license-files"] if not (ROOT / name).is_file()] == []
    bundled = re.findall(r"^\S+ [\d.]+ \(([\w.-]+).*\), source: ", text(PROJECT["license-files"][1]), re.MULTILINE)
    assert len(bundled) == 2
    assert PROJECT["license"].split(" AND ") == ["Apache-2.0", *sorted(bundled)]


def test_hosted_runs_and_classifiers_name_the_same_pythons() -> None:
    (matrix,) = re.findall(r"^ +python: \[(.+)\]$", text(".github/workflows/ci.yml"), re.MULTILINE)
    assert re.findall(r'"(.+?)"', matrix) == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"


def hooks() -> list[dict[str, str]]:
    """The keys and values of each hook, as they are written."""
    parts = text(".pre-commit-config.yaml").split("      - ")[1:]
    return [dict(re.findall(r"^ *(\w+): (.+)$", part, re.MULTILINE)) for part in parts]


def test_hooks_run_the_programs_that_developers_have() -> None:
    """Those with environments of their own ask for the versions of the extra ``dev``, the others use ``.venv``."""
    assert [hook["id"] for hook in hooks()] == ["ruff", "ruff-format", "mypy"]
    for hook in hooks():
        program = Path(hook["entry"].split()[0])
        (wanted,) = (each for each in PROJECT["optional-dependencies"]["dev"] if re.match(rf"{program.name}\b", each))
        if hook["language"] == "python":
            assert ast.literal_eval(hook["additional_dependencies"]) == [wanted]
        else:
            assert program.parent == Path(".venv/bin")

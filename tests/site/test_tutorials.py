"""A script in cells becomes a page with the results of its cells."""

from __future__ import annotations

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed; `make site` installs it")
pytest.importorskip("jupytext", reason="jupytext is not installed; `make site` installs it")
pytest.importorskip("ipykernel", reason="ipykernel is not installed; `make site` installs it")

from tools.site.tutorials import executed, page_of  # noqa: E402

ROOT = Path(__file__).parents[2]
ALONE = {"ethos_u": ("ethosu", "ai_edge_litert", "pymicro_wakeword")}
"""Tutorials on packages that `make test` goes without, and these packages: where they are there, the tutorial runs."""
SCRIPT = """# %% [markdown]
# # Title
#
# A [link](other.py).

# %%
print("\\x1b[1mbold\\x1b[0m")
6 * 7

# %%
class Shown:
    def _repr_html_(self):
        return "<b>shown</b>"

Shown()
"""


def test_a_page_has_cells_texts_and_results(tmp_path: Path) -> None:
    script = tmp_path / "part.py"
    script.write_text(SCRIPT)
    page = page_of(executed(script), "part")
    assert page.startswith("# Title\n\n[The notebook](part.ipynb)")
    assert "A [link](other.py)." in page
    assert '````python\nprint("\\x1b[1mbold\\x1b[0m")\n6 * 7\n````' in page
    assert "````text\nbold\n````" in page
    assert "````text\n42\n````" in page
    assert '<div class="output">\n<b>shown</b>\n</div>' in page


def test_a_cell_that_raises_is_an_error(tmp_path: Path) -> None:
    script = tmp_path / "part.py"
    script.write_text("# %% [markdown]\n# # Title\n\n# %%\n1 / 0\n")
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="ZeroDivisionError"):
        executed(script)


@pytest.mark.parametrize("script", sorted((ROOT / "docs/tutorials").glob("*.py")), ids=lambda script: script.stem)
def test_a_tutorial_is_found_by_readers(script: Path) -> None:
    assert f"(tutorials/{script.name})" in (ROOT / "docs/index.md").read_text(encoding="utf-8")
    assert f": tutorials/{script.stem}.md\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(("stem", "packages"), ALONE.items(), ids=ALONE)
def test_a_tutorial_runs(stem: str, packages: tuple[str, ...]) -> None:
    for package in packages:
        pytest.importorskip(package, reason=f"{package} is not installed; `make site` installs it")
    executed(ROOT / "docs/tutorials" / f"{stem}.py")

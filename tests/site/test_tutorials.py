"""A script in cells becomes a page with the results of its cells."""

from __future__ import annotations

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed; `make site` installs it")
pytest.importorskip("jupytext", reason="jupytext is not installed; `make site` installs it")
pytest.importorskip("ipykernel", reason="ipykernel is not installed; `make site` installs it")

from tools.site.tutorials import executed, page_of  # noqa: E402

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

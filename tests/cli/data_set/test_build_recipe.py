"""The recipe of a command: the graph is read once, and stays where it was read."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from lite_delegate.cli.data_set.build_recipe import BuildRecipe
from lite_delegate.cli.options.build_options import BuildOptions
from lite_delegate.demo import model_path
from lite_delegate.ir import Graph


def test_the_file_is_read_once_for_the_graph_and_once_to_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, read = [], BuildOptions.read

    def counted(self: BuildOptions, path: Path) -> Graph:
        reads.append(path)
        return read(self, path)

    monkeypatch.setattr(BuildOptions, "read", counted)
    recipe = BuildRecipe(model_path(), BuildOptions("none"))
    assert recipe.graph() is recipe.graph()
    recipe.compiled({}).close()
    assert len(reads) == 2


def test_a_recipe_is_sent_without_its_graph() -> None:
    recipe = BuildRecipe(model_path(), BuildOptions("none"))
    fresh = pickle.dumps(recipe)
    recipe.graph()
    assert pickle.dumps(recipe) == fresh
    pickle.loads(fresh).compiled({}).close()

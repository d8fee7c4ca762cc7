"""What tests of all rooms share."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.conformance.webdriver import CHROMEDRIVER, CHROMIUM, Browser

settings.register_profile("lite_delegate", deadline=None)  # tests assert no times
settings.load_profile("lite_delegate")


# Without compiled modules, each worker and each of the many processes that tests start would compile all again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what takes minutes, unless ``-m`` names it."""
    if "nightly" not in config.option.markexpr:
        items[:] = [item for item in items if item.get_closest_marker("nightly") is None]


def pytest_collection_finish() -> None:
    """Lets the garbage collector leave the many objects alone that last as long as the session.

    Tests that collect garbage themselves took up to half a minute for them.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared_models() -> Path:
    """The folder with the development models, which are not part of this repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "models"
    folder = Path(os.environ.get("LITE_DELEGATE_MODELS", beside))
    if not folder.is_dir():
        pytest.skip(f"no development models at {folder}; LITE_DELEGATE_MODELS names another folder")
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None or CHROMEDRIVER is None:
        pytest.skip("needs chromium and chromedriver")
    with Browser(tmp_path_factory.mktemp("browser") / "profile") as opened:
        yield opened


@pytest.fixture
def screen(browser: Browser) -> Iterator[Browser]:
    """A browser whose screen may be set to any size."""
    yield browser
    browser.no_screen()

"""A browser for the tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.webdriver import CHROMEDRIVER, CHROMIUM, Browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None or CHROMEDRIVER is None:
        pytest.skip("needs chromium and chromedriver")
    with Browser(tmp_path_factory.mktemp("browser") / "profile") as opened:
        yield opened

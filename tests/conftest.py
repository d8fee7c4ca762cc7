"""What tests of all rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("lite_delegate", deadline=None)  # tests assert no times
settings.load_profile("lite_delegate")


@pytest.fixture(scope="session")
def shared_models() -> Path:
    """The folder with the development models, which are not part of this repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "models"
    folder = Path(os.environ.get("LITE_DELEGATE_MODELS", beside))
    if not folder.is_dir():
        pytest.skip(f"no development models at {folder}; LITE_DELEGATE_MODELS names another folder")
    return folder

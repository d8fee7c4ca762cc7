"""A module whose import ends the process."""

import os

from tests.isolated.delegates import AddingDelegate

os.abort()


class AbortingDelegate(AddingDelegate):
    """Nobody gets here."""

"""The command line: ``lite-delegate COMMAND``, one file per command."""

from .main import main

__all__ = ["main"]

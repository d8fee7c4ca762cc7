"""``python -m lite_delegate`` is the same as ``lite-delegate``."""

from .cli import main

main()

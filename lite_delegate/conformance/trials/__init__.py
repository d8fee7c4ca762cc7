"""Trials of a model beyond its first run, and their findings."""

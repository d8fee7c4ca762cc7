"""Runners: single runs of a compiled model, without anything that lasts between them."""

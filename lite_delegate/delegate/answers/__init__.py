"""Answers of delegates: support, limits, status, estimates and telemetry."""

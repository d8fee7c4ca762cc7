"""What delegates answer: support, limits, status, estimates and telemetry."""

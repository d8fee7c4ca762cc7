"""Placement by measurement: competing plans, the times of a model's pieces, and the choice of a plan."""

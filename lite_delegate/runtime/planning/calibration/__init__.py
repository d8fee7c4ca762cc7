"""Calibration: kernel times that are measured, for placement by gain."""

"""Compiling a model for a device by name, and asking where its nodes would run."""

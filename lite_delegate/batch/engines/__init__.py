"""Engines: run tasks on workers, on this machine or on many, and say what became of each."""

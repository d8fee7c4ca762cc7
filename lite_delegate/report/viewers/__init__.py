"""Partition reports for other projects' viewers of models."""

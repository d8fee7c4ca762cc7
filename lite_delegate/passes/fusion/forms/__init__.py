"""Patterns of nodes that fusions look for, and the arithmetic that they recognize."""

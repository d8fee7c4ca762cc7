"""Accuracy of delegated nodes: digits that may get lost, and errors that were measured."""

"""Patterns: chains of a few nodes as they occur in models, which delegates like to fuse."""

"""Execution of compiled runs: the graph kernel, its device models, and the import of blobs."""

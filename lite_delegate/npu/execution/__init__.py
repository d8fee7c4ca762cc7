"""Compiled runs at work: the graph kernel, its device models, and blobs that are taken in again."""

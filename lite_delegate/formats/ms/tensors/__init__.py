"""Tensors of ``.ms`` files: their records, and contents in the file and beside it."""

"""Readers, verifier layout and schema files of the ``.ms`` format."""

"""Sectioned files: a header in clear, and sections whose digests are checked before they are used."""

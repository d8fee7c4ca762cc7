"""Checks for authors of delegates, and for our own tests."""

"""Failing cases made small, and saved."""

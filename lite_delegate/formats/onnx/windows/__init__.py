"""Operators over windows: layouts and paddings, and windows that the schema's operators do not have."""

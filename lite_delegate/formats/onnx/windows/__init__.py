"""Operators over windows: layouts and paddings, and windows that ours do not have."""

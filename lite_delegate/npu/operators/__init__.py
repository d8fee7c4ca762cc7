"""The NPU's operators: one file each, or a row in ``elementwise.py``; all of them are in ``all_operators.py``."""

"""The instructions of the device: one family of them per file."""

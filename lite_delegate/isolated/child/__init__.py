"""The side of the child process: serves a delegate to the parent."""

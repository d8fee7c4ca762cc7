"""Cases in worker processes, which may hang or die."""

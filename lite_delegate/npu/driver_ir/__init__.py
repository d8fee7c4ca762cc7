"""What goes from the delegate to the compiler in the driver: a run as an in-memory model that both sides check."""

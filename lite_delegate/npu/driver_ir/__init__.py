"""The interface between the delegate and the driver's compiler: a run as an in-memory model that both sides check."""

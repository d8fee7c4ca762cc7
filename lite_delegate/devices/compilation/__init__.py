"""The calls that compile a model for a device by name, or query where the model's nodes would run."""

"""Representative samples: the values of a model's tensors for inputs of its user, while the model is planned."""

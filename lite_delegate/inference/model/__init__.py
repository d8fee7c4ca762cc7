"""CompiledModel: a model that is ready to run, as a function and through requests and queues of them."""

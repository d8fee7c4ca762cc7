"""Properties of compiled models, of the CPU, of the cache and of the runtime itself."""

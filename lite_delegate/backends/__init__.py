"""Backends: delegates around the user's runtimes, with one lowering of kernels for all and an emitter for each."""

"""Backends: delegates around runtimes that people have: one lowering of our kernels, an emitter for each."""

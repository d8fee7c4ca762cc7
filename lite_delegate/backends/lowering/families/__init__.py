"""One file per family of operators: the lowering of each kernel to the emitter's operators."""

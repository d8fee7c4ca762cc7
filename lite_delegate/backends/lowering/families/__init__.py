"""One file per family of operators: what each kernel is in the emitter's operators."""

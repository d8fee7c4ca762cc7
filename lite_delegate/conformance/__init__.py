"""The operator conformance suite: cases, runner, results."""

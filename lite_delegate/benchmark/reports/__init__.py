"""Results of benchmarks as tables, text and JSON."""

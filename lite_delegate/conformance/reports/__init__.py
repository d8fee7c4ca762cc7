"""Results of the conformance suite as text, JSON, HTML and JUnit."""

"""One file of conformance cases per operator: ``case_softmax.py`` holds ``cases()`` for Softmax."""

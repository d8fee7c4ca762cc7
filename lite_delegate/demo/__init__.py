"""The demo: a small classifier of real handwritten digits that ships with the package, run with a delegate."""

from .digits import DemoResult, load_test_set, model_path, run_demo

__all__ = ["DemoResult", "load_test_set", "model_path", "run_demo"]

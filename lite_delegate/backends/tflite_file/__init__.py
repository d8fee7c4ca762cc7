"""TensorFlow Lite files of models and runs: builtin operators where there are some, elementary ones for the rest."""

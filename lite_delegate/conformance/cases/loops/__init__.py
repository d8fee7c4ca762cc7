"""Direct loops and whole-number arithmetic that several case files take their expected values from."""

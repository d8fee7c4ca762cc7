"""States: values that a request keeps from one run to the next."""

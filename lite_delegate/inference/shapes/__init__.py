"""Open dimensions: bounds that users give, plans for each set of shapes, and padding to a few sizes."""

"""How far arrays are from each other, and how far they may be."""

"""What-if: plans with answers that a delegate might have given, to decide on the next operators to support."""

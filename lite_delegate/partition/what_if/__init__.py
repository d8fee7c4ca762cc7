"""What-if: plans with answers that a delegate might have given, to decide what to support next."""

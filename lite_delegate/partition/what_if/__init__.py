"""What to support next: plans with answers that a delegate might have given."""

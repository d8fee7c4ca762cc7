"""From nodes to kernels: what is known of every value, and what can run each node."""

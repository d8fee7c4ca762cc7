"""The model of a job: compiled once, opened by each worker, run batch by batch."""

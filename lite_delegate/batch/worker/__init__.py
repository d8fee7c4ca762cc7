"""The worker's side of a job: a chunk is read, run and written."""

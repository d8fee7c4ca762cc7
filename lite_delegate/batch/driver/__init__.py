"""The driver's side of a job: chunks are given to workers, and what became of them is put together."""

"""The executor: threads that compute asynchronous runs, and how callers wait for runs to end."""

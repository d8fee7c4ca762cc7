"""The output folder: parts written whole, the job that they belong to, the manifest."""

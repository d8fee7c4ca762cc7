"""Rows: from columns of tables to the arrays of a model's inputs."""

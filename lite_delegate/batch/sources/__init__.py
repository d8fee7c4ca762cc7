"""Sources of rows: files of tables, arrays and images, read chunk by chunk as Arrow tables."""

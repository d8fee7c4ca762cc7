"""The ground of all reports: data to plain JSON, text and tables for terminals, Markdown, pages, schemas, forms."""

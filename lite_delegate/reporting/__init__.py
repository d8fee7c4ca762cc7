"""What the reports stand on: data to plain JSON, text and tables for terminals, Markdown, pages, schemas, forms."""

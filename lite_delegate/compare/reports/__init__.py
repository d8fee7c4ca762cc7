"""Findings of a comparison as text, Markdown, JSON and HTML."""

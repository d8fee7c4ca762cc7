"""Drafts: graphs while delegates replace parts of them."""

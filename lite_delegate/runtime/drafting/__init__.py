"""Drafts: graphs of which delegates are taking their parts."""

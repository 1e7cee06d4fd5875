"""Markdown as our own closed union of blocks and spans, parsed while it streams."""

"""Blocks to lines of a given width: wrapping, tables, code, quotes, lists."""

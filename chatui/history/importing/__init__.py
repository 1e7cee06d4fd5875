"""Conversations of other programs, and our own, coming in."""

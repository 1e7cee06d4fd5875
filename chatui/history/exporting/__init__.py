"""Conversations going out: lossless JSON, and forms for people and other programs."""

"""The live session: sending, deadlines, retries, coalescing."""

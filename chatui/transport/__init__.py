"""HTTP, recording and replay, and the process of the embedded model."""

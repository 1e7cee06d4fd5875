"""chatui: the terminal chat client that tells the truth about a stream."""

__version__ = "0.1.0"

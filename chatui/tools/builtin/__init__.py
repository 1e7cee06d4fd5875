"""Tools that come along: each is one file, each only reads, and none is on until it is named.

Invariant: a module here has a function `make`, which makes the tool from the `Surroundings`.
"""

"""Stub of the interface; the closed union of blocks and spans is being written."""


class Block:
    """To be replaced by a closed union of frozen blocks, each with `key` and `revision`."""

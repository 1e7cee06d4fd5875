"""One module per wire protocol, found by name; each has a constant `PROTOCOL`."""

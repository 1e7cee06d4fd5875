"""The checks, one a file: each has a constant `CHECK` and is found by being here."""

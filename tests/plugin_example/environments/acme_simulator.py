"""A simulator that needs a licence."""

TAKEN = set()

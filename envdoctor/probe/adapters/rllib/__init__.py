"""RLlib: its runner of single-agent environments."""

VECTORIZERS = ("runner", "remote")

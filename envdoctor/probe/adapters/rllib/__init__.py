"""RLlib: its runner of single-agent environments."""

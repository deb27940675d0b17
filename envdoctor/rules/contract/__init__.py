"""API: the contract of an environment with its framework."""

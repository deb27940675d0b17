"""PufferLib: its vectorizers of Python environments."""

VECTORIZERS = ("serial", "workers")

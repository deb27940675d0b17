"""PufferLib: its vectorizers of Python environments."""

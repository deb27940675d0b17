"""The shape of environments that a server offers."""

VECTORIZERS = ("server",)

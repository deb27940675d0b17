"""The shape of environments that a server offers."""

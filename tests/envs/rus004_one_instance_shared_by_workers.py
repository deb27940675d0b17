"""A factory that returns the environment that it made long ago."""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "direct,gymnasium-sync"]
ALSO = ["CLS012"]

_ENVIRONMENT = Plain()


def Sick():
    return _ENVIRONMENT


def Healthy():
    return Plain()

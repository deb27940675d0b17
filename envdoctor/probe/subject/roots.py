"""Files and folders of the subject's own code."""

from __future__ import annotations

import importlib.util
import sys

from envdoctor.model.subject import Subject
from envdoctor.probe.subject import load


def roots_of(subject: Subject) -> "frozenset[str]":
    """Files and folders whose code is the subject's own: its file, or the package of its module."""
    if subject.path:
        return frozenset((subject.path,))
    names = [name.split(".")[0] for name in (subject.module, *subject.imports) if name]
    loaded = [sys.modules[name] for name in names if name in sys.modules]
    return frozenset(
        path
        for module in loaded
        for path in getattr(module, "__path__", None) or [getattr(module, "__file__", None)]
        if path
    )


def roots_before_import(subject: Subject) -> "frozenset[str]":
    """As `roots_of`, where nothing of it may have been imported yet."""
    load.prepare_path(subject)
    roots = set(roots_of(subject))
    for name in (subject.module, *subject.imports):
        spec = importlib.util.find_spec(name.split(".")[0]) if name else None
        roots.update([] if spec is None else spec.submodule_search_locations or [spec.origin or ""])
    return frozenset(root for root in roots if root)

"""The cures that the doctor recommends where workers do not know an environment, applied to the
factory: tried before they are promised.

A cure is a word, and after a colon the module that registers the id: `named:walkers` puts it in
front of the id, `imported:walkers` imports it in the factory, `carried` sends the specification
itself.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

from envdoctor.model.subject import ID, Subject
from envdoctor.probe.subject import registries
from envdoctor.probe.tracing.instrument import Factory


class ImportingFactory(Factory):
    """Imports a module first, wherever it is called."""

    def __init__(self, module: str, *arguments: Any) -> None:
        Factory.__init__(self, *arguments)
        self.module = module

    def build(self) -> object:
        """One instance as it is."""
        importlib.import_module(self.module)
        return Factory.build(self)


class CarryingFactory(Factory):
    """Brings the specification along, which holds the entry point."""

    def __init__(self, subject: Subject, *arguments: Any) -> None:
        Factory.__init__(self, subject, *arguments)
        self.specification = registries.specification(str(subject.name))

    def build(self) -> object:
        """One instance as it is."""
        return registries.make(self.specification, dict(self.subject.kwargs))


def named(subject: Subject, module: str) -> Subject:
    """The subject with the module in front of its id."""
    name = str(subject.name).rpartition(":")[2]
    return replace(subject, text="%s:%s" % (module, name), form=ID, module=module, name=name)


def factory(cure: str, subject: Subject, *arguments: Any) -> Factory:
    """The factory of a subject with a cure; "" is none. Raises ValueError for a word that is not a
    cure.
    """
    word, _, module = cure.partition(":")
    if word == "imported":
        return ImportingFactory(module, subject, *arguments)
    if word == "carried":
        return CarryingFactory(subject, *arguments)
    if word not in ("", "named"):
        raise ValueError("%r is not a cure" % cure)
    return Factory(named(subject, module) if word else subject, *arguments)

"""The exception classes of the subject's package."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Iterator, List

from envdoctor.probe.frameworks.names import HOSTING
from envdoctor.probe.surviving import PLACEHOLDER, required

if TYPE_CHECKING:
    from types import ModuleType


MAX_MODULES = 200  # of the package


def modules_of(kind: type) -> List[ModuleType]:
    """The loaded modules of the package of a class; none for what comes with a framework."""
    package = kind.__module__.split(".")[0]
    own = [module for name, module in list(sys.modules.items()) if name.split(".")[0] == package]
    return [] if package in HOSTING else own[:MAX_MODULES]


def exceptions_in(module: ModuleType) -> Iterator[type]:
    """Public exception classes that a module defines, and that have a constructor or attributes
    of their own.
    """
    for name, value in list(getattr(module, "__dict__", {}).items()):
        own = (
            isinstance(value, type)
            and value.__module__ == module.__name__
            and not name.startswith("_")
        )
        if (
            own
            and issubclass(value, Exception)
            and any(
                _constructs(base) for base in value.__mro__ if base.__module__ == module.__name__
            )
        ):
            yield value


def _constructs(cls: type) -> bool:
    return "__init__" in vars(cls) or "__new__" in vars(cls)


def example(kind: type, name: str) -> Exception:
    """An instance of the exception class `name` of the package of the class `kind`,
    built with placeholders. Raises LookupError where there is none.
    """
    for module in modules_of(kind):
        for cls in exceptions_in(module):
            if cls.__name__ == name:
                return build(cls)
    raise LookupError(name)


def build(cls: type) -> Exception:
    """An instance, built with placeholders. Raises what the class raises."""
    names, keywords = required(cls)
    error: Exception = cls(*[PLACEHOLDER] * len(names), **dict.fromkeys(keywords, PLACEHOLDER))
    return error

"""Files that hold the subject's own code, and the names that exist there at run time: the doctor
reads the text, and never runs it.
"""

from __future__ import annotations

import builtins
import inspect
import sys
from typing import Dict, Iterator

from envdoctor.model.subject import ID, Subject
from envdoctor.probe.journal import Journal
from envdoctor.probe.subject import load
from envdoctor.probe.wrappers import innermost

MAX_MODULES = 12
MAX_NAMES = 3000


def tell(environment: object, subject: Subject, journal: Journal) -> None:
    """Journal the fact `sources`: the modules of the innermost class, of its bases from the
    same package, and of the factory.
    """
    kind = type(innermost(environment))
    modules = list(dict.fromkeys(_names(kind, subject)))[:MAX_MODULES]
    entries = [entry for entry in (_entry(name, kind) for name in modules) if entry]
    journal.write(
        "fact", key="sources", value={"modules": entries, "builtins": sorted(vars(builtins))}
    )


def _names(kind: type, subject: Subject) -> Iterator[str]:
    own = kind.__module__.split(".")[0]
    yield from (base.__module__ for base in kind.__mro__ if base.__module__.split(".")[0] == own)
    if subject.form != ID:
        yield load.find(subject).module


def _entry(name: str, kind: type) -> Dict[str, object]:
    """{"module", "file", "names", "others": environments beside the subject, which are not
    examined}; nothing without a source.
    """
    module = sys.modules.get(name)
    try:
        file = inspect.getsourcefile(module) if module is not None else None
    except TypeError:
        return {}
    others = [other for other, value in load.environments_in(module) if value not in kind.__mro__]
    return (
        {
            "module": name,
            "file": file,
            "names": sorted(map(str, vars(module)))[:MAX_NAMES],
            "others": others,
        }
        if file
        else {}
    )
